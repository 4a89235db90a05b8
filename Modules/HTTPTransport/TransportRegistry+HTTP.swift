import CausewayModels
public import CausewayTransport

extension TransportRegistry {
    /// Serves `https:` and `http:` addresses by ``HTTPTransport``.
    public mutating func registerHTTP(_ configuration: HTTPTransportConfiguration = HTTPTransportConfiguration()) {
        for scheme in ["https", "http"] {
            register(scheme) { address, token throws(TransportError) in
                try HTTPTransport(to: address, token: token, configuration)
            }
        }
    }
}
