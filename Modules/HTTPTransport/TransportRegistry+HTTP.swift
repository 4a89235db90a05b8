import CausewayModels
public import CausewayTransport

extension HTTPTransport {
    /// The schemes of the addresses that it connects to, the safe one first.
    public static let schemes = ["https", "wss", "auto", "http", "ws"]
}

extension TransportRegistry {
    /// Registers ``HTTPTransport`` for all of its schemes, with one configuration for every server.
    public mutating func registerHTTP(_ configuration: HTTPTransportConfiguration = HTTPTransportConfiguration()) {
        registerHTTP { _ in configuration }
    }

    /// Registers ``HTTPTransport`` for all of its schemes.
    ///
    /// - Parameter configuration: makes the configuration for a server's address; called for each new transport.
    public mutating func registerHTTP(
        _ configuration: @escaping @Sendable (_ address: String) -> HTTPTransportConfiguration
    ) {
        for scheme in HTTPTransport.schemes {
            register(scheme) { address, token throws(TransportError) in
                try HTTPTransport(to: address, token: token, configuration(address))
            }
        }
    }
}
