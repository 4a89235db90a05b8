import CausewayHTTP
import CausewayModels
import CausewayTLS
import CausewayTransport

/// Creation of a transport's parts from an address and a configuration.
extension HTTPTransport {
    /// The way in which requests travel, and the server.
    static func endpoint(
        _ address: String, _ configuration: HTTPTransportConfiguration
    ) throws(TransportError) -> (CarrierKind, HTTPEndpoint) {
        let scheme = address.prefix { $0 != ":" }
        let (kind, httpScheme) = CarrierKind.scheme(scheme.lowercased())
        let endpoint: HTTPEndpoint
        do {
            endpoint = try HTTPEndpoint(url: httpScheme + address.dropFirst(scheme.count))
        } catch {
            throw mismatch("invalid server address: \(error); use an address such as https://chat.example:8443")
        }
        guard case .tcp(let host, _, let isTLS) = endpoint.address else {
            let prefixes = schemes.map { $0 + "://" }.joined(separator: " or ")
            throw mismatch("invalid server address: it must begin with \(prefixes)")
        }
        guard isTLS || configuration.allowsPlaintext || isThisMachine(host) else {
            throw mismatch(
                "\(endpoint) is refused: without TLS the token and the messages can be read in transit; "
                    + "use https://, or allow plain text for this server")
        }
        return (kind, endpoint)
    }

    static func capabilities(of endpoint: HTTPEndpoint, records: Set<RecordKind>) -> TransportCapabilities {
        var capabilities = TransportCapabilities(
            ordering: .sequenced, deliveriesInFlightMax: HTTPTransportLimits.deliveriesInFlightMax,
            deliveriesInFlightTotalMax: HTTPTransportLimits.deliveriesInFlightTotalMax,
            content: ContentLimits(fileBytesMax: Limits.fileBytesMax), records: records)
        if case .tcp(let host, _, _) = endpoint.address { capabilities.isLocal = isThisMachine(host) }
        return capabilities
    }

    /// The whole seconds that a request for events waits at the server.
    static func eventWait(_ configuration: HTTPTransportConfiguration) -> Int {
        Int(clamping: configuration.timeouts.eventWait.components.seconds)
    }

    /// Whether a host is this machine by definition, independent of any name service: `localhost` itself and loopback
    /// addresses, but no name below `localhost`, which some resolvers look up in the network.
    private static func isThisMachine(_ host: String) -> Bool {
        if host == "localhost" { return true }
        let isName = host.hasSuffix("localhost") || host.hasSuffix("localhost.")
        guard !isName, let endpoint = try? HTTPEndpoint.tcp(host: host, port: 80, tls: false) else { return false }
        return endpoint.isLoopback
    }

    static func tls(
        for endpoint: HTTPEndpoint, _ configuration: HTTPTransportConfiguration
    ) throws(TransportError) -> TLSClientContext? {
        guard endpoint.isTLS else { return nil }
        var settings = configuration.tls
        if settings.applicationProtocols.isEmpty { settings.applicationProtocols = ["http/1.1"] }
        do {
            return try TLSClientContext(settings)
        } catch {
            throw .actionRequired(ActionRequired(cause: .certificate, detail: "\(error)"))
        }
    }

    static func proxy(
        for endpoint: HTTPEndpoint, _ configuration: HTTPTransportConfiguration
    ) throws(TransportError) -> HTTPProxy? {
        guard case .environment(let variables) = configuration.proxy else { return nil }
        do {
            return try HTTPProxy.fromEnvironment(variables, for: endpoint)
        } catch {
            throw mismatch("invalid proxy: \(error)")
        }
    }

    private static func mismatch(_ detail: String) -> TransportError {
        .actionRequired(ActionRequired(cause: .protocolMismatch, detail: detail))
    }
}
