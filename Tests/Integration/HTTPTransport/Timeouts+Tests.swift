import CausewayHTTPTransport

extension HTTPTransportConfiguration.Timeouts {
    /// Long enough to never affect a test, however slow the machine is.
    static let unhurried = Self(connect: .seconds(600), firstByte: .seconds(600), whole: .seconds(600))
}
