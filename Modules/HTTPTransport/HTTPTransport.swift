import CausewayHTTP
public import CausewayModels
import CausewayTLS
public import CausewayTransport
import CausewayWire
import HTTPTypes
import NIOCore

/// The way to a Causeway server by HTTP/1.1, with or without TLS: one request, one answer.
///
/// Nothing is repeated here but a read on a kept connection that turned out to be closed; nothing is redirected; no
/// answer is believed that does not carry the protocol's header.
///
/// How what happens is classified, in this order (`…` stands for the server's words):
///
/// | what happens | the error |
/// | --- | --- |
/// | no address, refused, no route, time up, before a byte of the request left | `unreachable` |
/// | the proxy refuses the tunnel with 407: it wants other credentials | `needsAttention(protocolMismatch)` |
/// | the proxy refuses the tunnel otherwise, or fails | `unreachable` |
/// | a certificate that does not verify, no TLS in common, a file of ours is missing | `needsAttention(certificate)` |
/// | the connection is cut while it is being secured | `unreachable` |
/// | refused in TLS by the server after the request may have left: a delivery | `inDoubt` |
/// | the same: anything else | `needsAttention(certificate)` |
/// | cut, reset, time up, cancelled or closed here, when the request may have left | `inDoubt` |
/// | an answer that breaks off, is too large, or is not HTTP | `inDoubt` |
/// | an answer without the header `Causeway-Protocol`, whatever its status (captive portal, proxy) | `inDoubt` |
/// | another version in that header: a delivery with 2xx | `inDoubt` |
/// | another version in that header: anything else | `needsAttention(protocolMismatch)` |
/// | 3xx: redirects are not followed | `needsAttention(protocolMismatch)` |
/// | a body that is not what it should be, whatever the status | `inDoubt` |
/// | 2xx whose report does not fit the delivery, or holds a mark, position or moment out of range | `inDoubt` |
/// | a page with a position out of range | `inDoubt` |
/// | 401, 403: log in again | `needsAttention(tokenRefused)` |
/// | 404 `messageNotFound`, `messageDeleted` to a lookup | no error: the server has it not |
/// | 404 `channelNotFound` to a page | `refused(…)` |
/// | 404 otherwise, 405, 406, 410, 426, a status that does not exist | `needsAttention(protocolMismatch)` |
/// | 409 `superseded` | `needsAttention(superseded)` |
/// | 409 `storeForked` | `storeForked` |
/// | 409 `historyChanged` | `historyChanged` |
/// | 429: as long as `Retry-After` says, or 5 s | `rateLimited` |
/// | 503 with `Retry-After` | `rateLimited` |
/// | 5xx but 501, 503, 505, to a delivery: it may have been applied | `serverFailed(…)` |
/// | 408, 425, 5xx otherwise | `transient(…)` |
/// | every other 4xx (400, 409, 413, 414, 415, 422, 431 …) | `refused(…)` |
/// | too many calls wait for a connection here | `notSent(clientBusy)` |
/// | the delivery cannot be written as JSON | `refused(unsendable)` |
/// | the delivery is larger than the server takes | `refused(bodyTooLarge)` |
///
/// `Retry-After` is seconds or a date (RFC 9110 §10.2.3), held between 1 s and 1 h; one that is neither counts as
/// absent. Words of the server are cut, freed of control characters and of the token before they get into an error.
public struct HTTPTransport: Transport {
    public let capabilities = TransportCapabilities(
        deliveriesInFlightMax: 1, deliveriesInFlightTotalMax: HTTPTransportLimits.deliveriesInFlightTotalMax,
        dedupeWindow: .forever, batchOperationsMax: Limits.batchOperationsMax, batchBytesMax: Limits.batchBytesMax)

    private let client: HTTPClient
    private let requests: RequestWriter
    private let answers: AnswerReader

    /// Opens no connection yet; reads the certificate files that the configuration names.
    ///
    /// - Parameter address: `https://host[:port][/path]`, or `http:` to this machine itself (`localhost`, 127.0.0.0/8,
    ///   `::1`) or where the configuration allows plain text.
    /// - Throws: ``TransportError/needsAttention(_:)`` when the address, a certificate file or the proxy's variable
    ///   cannot be used. Its words never repeat the address, which may hold a password.
    public init(
        to address: String, token: AccessToken,
        _ configuration: HTTPTransportConfiguration = HTTPTransportConfiguration()
    ) throws(TransportError) {
        let endpoint = try Self.endpoint(address, configuration)
        var limits = HTTPLimits()
        limits.bodyBytesMax = WireProtocol.responseBytesMax
        client = HTTPClient(
            endpoint: endpoint, tls: try Self.tls(for: endpoint, configuration),
            timeouts: HTTPTimeouts(
                connect: configuration.timeouts.connect, firstByte: configuration.timeouts.firstByte,
                whole: configuration.timeouts.whole),
            limits: limits, proxy: try Self.proxy(for: endpoint, configuration),
            eventLoopGroup: configuration.eventLoopGroup)
        requests = RequestWriter(token: token, userAgent: configuration.userAgent)
        answers = AnswerReader(
            words: ServerWords(token: token), server: endpoint.description, wallClock: configuration.wallClock)
    }

    public func greet(
        knowing history: ServerHistory?, outbox: OutboxID?
    ) async throws(TransportError) -> ServerGreeting {
        let (session, present) = try await ask(
            requests.session(knowing: history, outbox: outbox), as: WireSession.self, .greeting)
        var greeting = ServerGreeting(user: session.user, server: answers.words.cleaned(session.server))
        greeting.history = present
        if let marks = session.marks {
            guard marks.values.allSatisfy((0..<Limits.sequenceMax).contains) else {
                throw answers.foreign("a mark that is none")
            }
            greeting.marks = Dictionary(uniqueKeysWithValues: marks.map { (LaneID(rawValue: $0), $1) })
        }
        return greeting
    }

    public func deliver(_ delivery: Delivery) async throws(TransportError) -> DeliveryReport {
        let request = try requests.delivery(delivery)
        let (wire, history) = try await ask(request, as: WireReport.self, .delivery)
        guard var report = wire.report(on: delivery.operations, words: answers.words) else {
            throw .inDoubt(detail: "\(client.endpoint): the server's report does not fit the delivery")
        }
        report.history = history
        return report
    }

    public func messages(_ query: RemoteQuery) async throws(TransportError) -> RemotePage {
        let (page, history) = try await ask(requests.page(query), as: WirePage.self, .page)
        let items = page.messages.compactMap(\.placed)
        guard items.count == page.messages.count else {
            throw answers.foreign("a page with a position that is none")
        }
        let range = page.range
        let cursor = page.cursor.flatMap { range != nil && WireChanges.isCursor($0) ? $0 : nil }
        var remote = RemotePage(items: items, hasMore: page.hasMore, range: range, cursor: cursor)
        remote.history = history
        return remote
    }

    public func changes(_ query: RemoteChangesQuery) async throws(TransportError) -> RemoteChanges? {
        let changes: WireChanges
        do throws(TransportError) {
            changes = try await ask(requests.changes(query), as: WireChanges.self, .page).answer
        } catch {
            switch error {
            // An older server, or one that does not take the cursor of another one: pages have everything.
            case .refused(let code, _) where code != "channelNotFound": return nil
            case .needsAttention(let attention) where attention.cause == .protocolMismatch: return nil
            default: throw error
            }
        }
        let items = changes.messages.compactMap(\.placed)
        let last = query.isOpen ? changes.newest : query.through
        guard changes.isComplete, WireChanges.isCursor(changes.cursor), items.count == changes.messages.count,
            items.count + changes.gone.count <= query.limit, changes.newest <= Limits.positionMax,
            last >= query.through, items.allSatisfy({ (query.from...last).contains($0.placement.position) })
        else { return nil }
        return RemoteChanges(items: items, gone: changes.gone, cursor: changes.cursor, newest: changes.newest)
    }

    public func lookup(_ id: MessageID) async throws(TransportError) -> Placement? {
        let response = try await send(requests.message(id), .lookup)
        guard let message = try answers.found(WireMessage.self, in: response) else { return nil }
        guard message.id == id else { throw answers.foreign("it shows another message than the one asked for") }
        guard let placed = message.placed else { throw answers.foreign("a message with a position that is none") }
        return placed.placement
    }

    /// Ends what is under way and closes all connections. May be called again; calls made later are `unreachable`.
    public func close() async {
        await client.shutdown()
    }

    private func ask<Answer: Decodable>(
        _ request: HTTPClientRequest, as type: Answer.Type, _ question: Question
    ) async throws(TransportError) -> (answer: Answer, history: ServerHistory?) {
        let response = try await send(request, question)
        return (try answers.read(type, from: response, to: question), answers.history(of: response))
    }

    private func send(
        _ request: HTTPClientRequest, _ question: Question
    ) async throws(TransportError) -> HTTPClientResponse {
        do {
            return try await client.send(request)
        } catch {
            throw TransportError(error, of: question, to: client.endpoint)
        }
    }
}

/// What a call asks of the server. Only a delivery changes anything there.
enum Question: Sendable, Hashable, CaseIterable {
    case greeting, delivery, page, lookup
}

/// Prints the address, never the token.
extension HTTPTransport: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "HTTPTransport(\(client.endpoint))" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
