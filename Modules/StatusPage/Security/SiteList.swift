import CausewayHTTPServer

/// The names to which the page answers, and the origin that belongs to each.
///
/// A page of another site whose name was led to this address (DNS rebinding) sends its own name as `Host`, and an
/// `Origin` that matches it: only a list of names tells them apart.
struct SiteList: Sendable {
    private let origins: [String: SiteOrigin]

    /// - Parameter port: where it really listens.
    init(_ configuration: StatusPageConfiguration, port: Int) {
        var all = configuration.origins
        if configuration.listen.isLoopback {
            let isSecure = configuration.identity != nil
            for host in ["127.0.0.1", "localhost", "::1", configuration.listen.host] {
                all.append(SiteOrigin(isSecure: isSecure, host: host, port: port))
            }
        }
        origins = Dictionary(all.map { ($0.authority, $0) }) { first, _ in first }
    }

    /// The origin of a request with this `Host`; `nil` when the name is not ours.
    func origin(host: String?) -> SiteOrigin? { host.flatMap { origins[$0.lowercased()] } }
}
