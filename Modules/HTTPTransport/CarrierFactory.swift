import CausewayHTTP
import CausewayModels
import CausewayTLS
import CausewayTransport
import CausewayWebSocket
import CausewayWire

/// The way in which a transport's requests travel.
enum CarrierKind: Sendable, Hashable {
    case http, socket, automatic

    /// The kind that the scheme of an address stands for, and the scheme of HTTP with the same security; an unknown
    /// scheme is returned as it is.
    static func scheme(_ scheme: String) -> (CarrierKind, String) {
        switch scheme {
        case "wss": (.socket, "https")
        case "ws": (.socket, "http")
        case "auto": (.automatic, "https")
        default: (.http, scheme)
        }
    }
}

/// The carriers of one transport.
struct Carriers {
    /// Carries all requests but those for events.
    let requests: any RequestCarrier
    /// For events: a request that waits at the server must occupy no connection that deliveries need.
    let events: any RequestCarrier
    /// Carriers that have all connections of both, each of them once: both may share some.
    let connections: [any RequestCarrier]
}

/// Makes the carriers of one transport.
struct CarrierFactory {
    private let endpoint: HTTPEndpoint
    private let configuration: HTTPTransportConfiguration
    private let opening: HTTPClientRequest
    private let tls: TLSClientContext?
    private let proxy: HTTPProxy?
    private let timeouts: HTTPTimeouts

    /// - Parameter opening: the request that opens a socket.
    init(
        _ endpoint: HTTPEndpoint, _ configuration: HTTPTransportConfiguration, opening: HTTPClientRequest
    ) throws(TransportError) {
        self.endpoint = endpoint
        self.configuration = configuration
        self.opening = opening
        tls = try HTTPTransport.tls(for: endpoint, configuration)
        proxy = try HTTPTransport.proxy(for: endpoint, configuration)
        timeouts = HTTPTimeouts(
            connect: configuration.timeouts.connect, firstByte: configuration.timeouts.firstByte,
            whole: configuration.timeouts.whole)
    }

    func make(_ kind: CarrierKind) -> Carriers {
        switch kind {
        case .http:
            let (requests, events) = (requestClient, eventClient)
            return Carriers(requests: requests, events: events, connections: [requests, events])
        case .socket:
            let socket = socket()
            return Carriers(requests: socket, events: socket, connections: [socket])
        case .automatic:
            let choice = CarrierChoiceBox(configuration.carrierChoice)
            let (socket, events) = (socket(choice), eventClient)
            let requests = AutomaticCarrier(socket, requestClient, choice)
            return Carriers(
                requests: requests, events: AutomaticCarrier(socket, events, choice), connections: [requests, events])
        }
    }

    private var requestClient: CompressingCarrier {
        CompressingCarrier(
            client(connectionsMax: HTTPTransportLimits.deliveriesInFlightTotalMax),
            bodyBytesMax: WireProtocol.responseBytesMax)
    }

    private var eventClient: CompressingCarrier {
        CompressingCarrier(
            client(connectionsMax: HTTPTransportLimits.eventConnectionsMax),
            bodyBytesMax: WireProtocol.responseBytesMax)
    }

    /// Carries files.
    var mediaClient: HTTPClient {
        var limits = HTTPLimits()
        limits.bodyBytesMax = HTTPTransportLimits.mediaResponseBytesMax
        limits.connectionsMax = HTTPTransportLimits.mediaConnectionsMax
        limits.transferBytesHeldMax = HTTPTransportLimits.mediaBytesHeldMax
        return client(limits)
    }

    private func client(connectionsMax: Int) -> HTTPClient {
        var limits = HTTPLimits()
        limits.bodyBytesMax = WireProtocol.responseBytesMax
        limits.connectionsMax = connectionsMax
        return client(limits)
    }

    private func client(_ limits: HTTPLimits) -> HTTPClient {
        HTTPClient(
            endpoint: endpoint, tls: tls, timeouts: timeouts, limits: limits, proxy: proxy,
            eventLoopGroup: configuration.eventLoopGroup)
    }

    private func socket(_ observer: any SocketObserver = UnobservedSocket()) -> SocketCarrier {
        var limits = WebSocketLimits(messageBytesMax: WireSocket.responseBytesMax)
        limits.close = .seconds(HTTPTransportLimits.socketCloseSeconds)
        let settings = WebSocketSettings(
            endpoint: endpoint, tls: tls, timeouts: timeouts, proxy: proxy,
            subprotocol: WireSocket.subprotocol, limits: limits)
        return SocketCarrier(
            opening, to: endpoint, settings, timeouts, eventLoopGroup: configuration.eventLoopGroup,
            observer: observer)
    }
}
