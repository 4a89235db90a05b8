import CausewayHTTP
public import CausewayModels
import CausewayTLS
public import CausewayTransport
import CausewayWire
import HTTPTypes
import NIOCore

/// A transport to a Causeway server: requests and responses over HTTP/1.1, over a WebSocket, or over the better of
/// both, with or without TLS.
///
/// | scheme | requests travel |
/// | --- | --- |
/// | `https:`, `http:` | over HTTP/1.1; events are read by long poll, on a connection of their own |
/// | `wss:`, `ws:` | over one WebSocket (`GET /v1/socket`), which is opened when it is needed |
/// | `auto:` | as `wss:`; for a while as `https:` after no socket could be opened, or three in a row ended early |
///
/// Files always travel over HTTP/1.1, on connections of their own; see `HTTPMediaStore`.
///
/// Over HTTP, batches and pages travel in the coding `gzip` if the server takes part.
///
/// Nothing that matters is kept here, so the way may change between any two requests.
///
/// Nothing is repeated except a read on a kept connection that turned out to be closed; redirects are not followed; a
/// response without the protocol's header is not trusted.
///
/// Classification of results, in this order (`…` is the server's text):
///
/// | result | error |
/// | --- | --- |
/// | no address, refused, no route, time-out, before a byte of the request was sent | `unreachable` |
/// | the proxy refuses the tunnel with 407: it requires other credentials | `actionRequired(protocolMismatch)` |
/// | the proxy refuses the tunnel with another status, or fails | `unreachable` |
/// | a certificate that does not verify, no common TLS version, a missing local file | `actionRequired(certificate)` |
/// | the connection is cut during the TLS handshake | `unreachable` |
/// | refused in TLS by the server after the request may have been sent: a delivery | `inDoubt` |
/// | the same: any other request | `actionRequired(certificate)` |
/// | cut, reset, time-out, cancelled or closed here, when the request may have been sent | `inDoubt` |
/// | a response that is incomplete, too large, or not HTTP | `inDoubt` |
/// | a response without the header `Causeway-Protocol`, with any status (captive portal, proxy) | `inDoubt` |
/// | another version in that header: a delivery with 2xx | `inDoubt` |
/// | another version in that header: any other request | `actionRequired(protocolMismatch)` |
/// | 3xx: redirects are not followed | `actionRequired(protocolMismatch)` |
/// | a malformed body, with any status | `inDoubt` |
/// | 2xx whose report does not match the delivery, or holds a mark, position or time out of range | `inDoubt` |
/// | a page with a position out of range, a record or an event that does not fit its request | `inDoubt` |
/// | 401, 403: log in again | `actionRequired(tokenRefused)` |
/// | 404 `messageNotFound`, `messageDeleted` to a message or a lookup | no error: the server does not have it |
/// | 404 `channelNotFound` to a page, 404 to a list of records, to events or to a typing signal | `refused(…)` |
/// | 404 to a record | no error: it does not exist for the account |
/// | 404 otherwise, 405, 406, 410, 426, a status that does not exist | `actionRequired(protocolMismatch)` |
/// | 409 `superseded` | `actionRequired(superseded)` |
/// | 409 `storeForked` | `storeForked` |
/// | 409 `historyChanged` | `historyChanged` |
/// | 429: for the time in `Retry-After`, or 5 s | `rateLimited` |
/// | 503 with `Retry-After` | `rateLimited` |
/// | 5xx except 501, 503, 505, to a delivery: it may have been applied | `serverFailed(…)` |
/// | 408, 425, any other 5xx | `transient(…)` |
/// | any other 4xx (400, 409, 413, 414, 415, 422, 431 …) | `refused(…)` |
/// | too many calls are waiting for a connection | `notSent(clientBusy)` |
/// | the delivery cannot be encoded as JSON | `refused(unsendable)` |
/// | the delivery is larger than the server accepts | `refused(bodyTooLarge)` |
///
/// `Retry-After` is seconds or a date (RFC 9110 §10.2.3), clamped to 1 s through 1 h; an invalid one counts as absent.
/// Text from the server is truncated, and control characters and the token are removed, before it is used in an error.
public struct HTTPTransport: Transport {
    public let capabilities: TransportCapabilities

    private let carriers: Carriers
    private let eventSource: HTTPEventSource
    private let mediaStore: HTTPMediaStore
    private let lastOutbox = LastOutbox()
    let requests: RequestBuilder
    let parser: ResponseParser

    /// Creates a transport. Opens no connection yet; reads the certificate files that the configuration names.
    ///
    /// - Parameter address: `https://host[:port][/path]`, or with one of the other ``schemes``; `http:` and `ws:` to
    ///   this machine itself (`localhost`, 127.0.0.0/8, `::1`) or if the configuration allows plain text.
    /// - Throws: ``TransportError/actionRequired(_:)`` if the address, a certificate file or the proxy's variable
    ///   cannot be used. Its text never repeats the address, which may contain a password.
    public init(
        to address: String, token: AccessToken,
        _ configuration: HTTPTransportConfiguration = HTTPTransportConfiguration()
    ) throws(TransportError) {
        let (kind, endpoint) = try Self.endpoint(address, configuration)
        capabilities = Self.capabilities(of: endpoint, records: configuration.records)
        requests = RequestBuilder(token: token, userAgent: configuration.userAgent)
        let factory = try CarrierFactory(endpoint, configuration, opening: requests.socket())
        carriers = factory.make(kind)
        parser = ResponseParser(
            sanitizer: ServerTextSanitizer(token: token), server: endpoint.description,
            wallClock: configuration.wallClock)
        eventSource = HTTPEventSource(
            carriers.events, requests, parser, waitSeconds: Self.eventWait(configuration), outbox: lastOutbox)
        mediaStore = HTTPMediaStore(
            client: factory.mediaClient,
            requests: MediaRequestBuilder(token: token, userAgent: configuration.userAgent), parser: parser,
            timeouts: configuration.transferTimeouts, limit: FileSizeLimit())
    }

    public var events: (any EventSource)? { eventSource }

    public var ephemeral: (any EphemeralEvents)? {
        HTTPEphemeralEvents(carrier: carriers.events, requests: requests, parser: parser)
    }

    /// Files travel over HTTP/1.1 with the security of the address, whatever its scheme; see ``MediaStore``.
    public var media: (any MediaStore)? { mediaStore }

    /// With `auto:` HTTP or a WebSocket, and why there is none.
    public var way: String? { carriers.requests.way }

    public func authenticate(
        knowing history: ServerHistory?, outbox: OutboxID?
    ) async throws(TransportError) -> ServerInfo {
        lastOutbox.note(outbox)
        let (session, present) = try await ask(
            requests.session(knowing: history, outbox: outbox), as: WireSession.self, .session)
        if let bytes = session.fileBytesMax { mediaStore.limit.learn(bytes) }
        var serverInfo = ServerInfo(user: session.user, server: parser.sanitizer.cleaned(session.server))
        serverInfo.history = present
        if let marks = session.marks {
            guard marks.values.allSatisfy((0..<Limits.sequenceMax).contains) else {
                throw parser.foreign("an invalid mark")
            }
            serverInfo.marks = Dictionary(uniqueKeysWithValues: marks.map { (LaneID(rawValue: $0), $1) })
            let movers = session.movers ?? [:]
            serverInfo.movers = Dictionary(uniqueKeysWithValues: movers.map { (LaneID(rawValue: $0), $1) })
        }
        return serverInfo
    }

    public func deliver(_ delivery: Delivery) async throws(TransportError) -> DeliveryReport {
        lastOutbox.note(delivery.outbox)
        let request = try requests.delivery(delivery)
        let (wire, history) = try await ask(request, as: WireReport.self, .delivery)
        guard var report = wire.report(on: delivery.operations, sanitizer: parser.sanitizer) else {
            throw .inDoubt(detail: "\(carriers.requests.endpoint): the server's report does not fit the delivery")
        }
        report.history = history
        return report
    }

    public func messages(_ query: RemoteQuery) async throws(TransportError) -> RemotePage {
        guard query.filter.isValid else {
            throw .refused(
                code: "queryInvalid",
                detail: "invalid filter of messages: a type needs 1 to \(Limits.messageTypeBytesMax) ASCII characters; "
                    + "at most \(Limits.tagsMax) tags of 1 to \(Limits.tagBytesMax) bytes can be included, and excluded"
            )
        }
        let (page, history) = try await ask(requests.page(query), as: WirePage.self, .page)
        let items = page.messages.compactMap(\.placed)
        let deleted = (page.deleted ?? []).compactMap(\.placed)
        guard items.count == page.messages.count, deleted.count == page.deleted?.count ?? 0 else {
            throw parser.foreign("a page with an invalid position")
        }
        let range = page.range
        let cursor = page.cursor.flatMap { range != nil && WireChanges.isCursor($0) ? $0 : nil }
        var remote = RemotePage(items: items, deleted: deleted, hasMore: page.hasMore, range: range, cursor: cursor)
        remote.history = history
        remote.unreadable = Set(page.unreadable ?? [])
        return remote
    }

    public func changes(_ query: RemoteChangesQuery) async throws(TransportError) -> RemoteChanges? {
        let changes: WireChanges
        let history: ServerHistory?
        do throws(TransportError) {
            (changes, history) = try await ask(requests.changes(query), as: WireChanges.self, .page)
        } catch {
            switch error {
            // An older server, or one that rejects the cursor of another one: pages contain everything.
            case .refused(let code, _) where code != "channelNotFound": return nil
            case .actionRequired(let actionRequired) where actionRequired.cause == .protocolMismatch: return nil
            default: throw error
            }
        }
        let items = changes.messages.compactMap(\.placed)
        let last = query.isOpen ? changes.newest : query.through
        guard changes.isComplete, WireChanges.isCursor(changes.cursor), items.count == changes.messages.count,
            items.count + changes.gone.count <= query.limit, changes.newest <= Limits.positionMax,
            last >= query.through, items.allSatisfy({ (query.from...last).contains($0.serverPosition.position) })
        else { return nil }
        var remote = RemoteChanges(
            items: items, gone: changes.gone, cursor: changes.cursor, newest: changes.newest)
        remote.history = history
        return remote
    }

    public func message(
        _ id: MessageID, knowing history: ServerHistory?
    ) async throws(TransportError) -> RemoteMessageState {
        let response = try await send(requests.message(id, knowing: history), .lookup)
        let present = parser.history(of: response)
        guard let message = try parser.found(WireMessage.self, in: response, .lookup) else {
            return RemoteMessageState(nil, history: present)
        }
        guard message.id == id else { throw parser.foreign("it is a different message than the requested one") }
        guard let placed = message.placed else { throw parser.foreign("a message with an invalid position") }
        return RemoteMessageState(placed, history: present)
    }

    public func lookup(_ id: MessageID) async throws(TransportError) -> ServerPosition? {
        try await message(id, knowing: nil).message?.serverPosition
    }

    public func networkChanged() {
        // A second call would begin an opening anew that the first one began.
        for carrier in carriers.connections { carrier.networkChanged() }
        mediaStore.client.networkChanged()
    }

    /// Ends calls under way and closes all connections. May be called again; later calls are `unreachable`.
    public func close() async {
        await carriers.requests.shutdown()
        await carriers.events.shutdown()
        await mediaStore.client.shutdown()
    }

    func ask<Response: Decodable>(
        _ request: HTTPClientRequest, as type: Response.Type, _ kind: RequestKind
    ) async throws(TransportError) -> (response: Response, history: ServerHistory?) {
        let response = try await send(request, kind)
        return (try parser.read(type, from: response, to: kind), parser.history(of: response))
    }

    func send(
        _ request: HTTPClientRequest, _ kind: RequestKind
    ) async throws(TransportError) -> HTTPClientResponse {
        do {
            return try await carriers.requests.send(request)
        } catch {
            throw TransportError(error, of: kind, to: carriers.requests.endpoint)
        }
    }
}

/// The kind of a request to the server. Only a delivery changes anything that is stored there.
enum RequestKind: Sendable, Hashable, CaseIterable {
    case session, delivery, page, lookup, records, events, typing, media
}

/// Prints the address, never the token.
extension HTTPTransport: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "HTTPTransport(\(carriers.requests.endpoint))" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
