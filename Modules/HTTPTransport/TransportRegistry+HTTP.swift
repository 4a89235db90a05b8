import CausewayModels
public import CausewayTransport

extension TransportRegistry {
    /// Registers ``HTTPTransport`` for `https:` and `http:` addresses.
    public mutating func registerHTTP(_ configuration: HTTPTransportConfiguration = HTTPTransportConfiguration()) {
        for scheme in ["https", "http"] {
            register(scheme) { address, token throws(TransportError) in
                try HTTPTransport(to: address, token: token, configuration)
            }
        }
    }
}
