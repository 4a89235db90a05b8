import CausewayHTTPServer

/// The accepted host names of the page, and the origin of each.
///
/// A page of another site whose name resolves to this address (DNS rebinding) sends its own name as `Host`, and an
/// `Origin` that matches it: only a list of names tells them apart.
struct AllowedHosts: Sendable {
    private let origins: [String: WebOrigin]

    /// - Parameter port: the port that the page actually listens on.
    init(_ configuration: StatusPageConfiguration, port: Int) {
        var all = configuration.origins
        if configuration.listen.isLoopback {
            let isSecure = configuration.identity != nil
            for host in ["127.0.0.1", "localhost", "::1", configuration.listen.host] {
                all.append(WebOrigin(isSecure: isSecure, host: host, port: port))
            }
        }
        origins = Dictionary(all.map { ($0.authority, $0) }) { first, _ in first }
    }

    /// Returns the origin of a request with this `Host`; `nil` when the name is not accepted.
    func origin(host: String?) -> WebOrigin? { host.flatMap { origins[$0.lowercased()] } }
}
