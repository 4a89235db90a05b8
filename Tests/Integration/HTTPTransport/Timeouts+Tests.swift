import CausewayHTTP
import CausewayHTTPTransport

extension HTTPTransportConfiguration.Timeouts {
    /// Long enough to never affect a test, however slow the machine is.
    static let unhurried = Self(connect: .seconds(600), firstByte: .seconds(600), whole: .seconds(600))
}

extension HTTPTransportConfiguration {
    /// Without a proxy and in no hurry.
    static var unhurried: Self { unhurried(continueWait: .seconds(600)) }

    static func unhurried(continueWait: Duration) -> Self {
        var configuration = Self(timeouts: .unhurried, proxy: .none)
        configuration.transferTimeouts.continueWait = continueWait
        return configuration
    }
}
