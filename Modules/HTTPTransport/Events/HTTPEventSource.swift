import CausewayHTTP
import CausewayModels
import CausewayTransport
import CausewayWire
import Synchronization

/// The hub's log by long poll: one request for each part.
///
/// Over HTTP it has connections of its own, so that a request that waits at the server delays no delivery.
struct HTTPEventSource: EventSource {
    private let carrier: any RequestCarrier
    private let requests: RequestBuilder
    private let parser: ResponseParser
    /// The seconds that a request waits at the server for something new.
    private let waitSeconds: Int
    /// The outbox that this client has named last.
    private let outbox: LastOutbox

    init(
        _ carrier: any RequestCarrier, _ requests: RequestBuilder, _ parser: ResponseParser, waitSeconds: Int,
        outbox: LastOutbox
    ) {
        self.outbox = outbox
        self.carrier = carrier
        self.requests = requests
        self.parser = parser
        self.waitSeconds = min(max(0, waitSeconds), WireProtocol.eventsWaitMax)
    }

    func currentCursor(knowing history: ServerHistory?) async throws(TransportError) -> EventStart {
        let (part, present) = try await ask(requests.eventsEnd(knowing: history))
        guard part.events.isEmpty, let cursor = part.eventCursor else {
            throw parser.foreign("an end of the log that is none")
        }
        return EventStart(cursor: cursor, history: present)
    }

    func open(
        from cursor: EventCursor, knowing history: ServerHistory?
    ) async throws(TransportError) -> any EventStream {
        guard WireChanges.isCursor(cursor.rawValue) else {
            throw .refused(code: EventCursor.invalidCode, detail: "the cursor is not one of this server")
        }
        return LongPoll(from: cursor, of: self)
    }

    /// - Parameters:
    ///   - isWaiting: whether the request may wait for something new.
    ///   - seen: what the reader has seen of ephemeral events.
    /// - Returns: the part, and what has been seen after it.
    func part(
        from cursor: EventCursor, isWaiting: Bool, seen: String, knowing history: ServerHistory?
    ) async throws(TransportError) -> (part: EventPart, seen: String) {
        let request = requests.events(
            from: cursor, wait: isWaiting ? waitSeconds : 0, limit: HTTPTransportLimits.eventsPerRequest,
            outbox: outbox.id, seen: seen, knowing: history)
        let (part, present) = try await ask(request)
        guard part.events.count <= HTTPTransportLimits.eventsPerRequest, let next = part.eventCursor else {
            throw parser.foreign("a part of the log that does not fit the request")
        }
        if part.isReset {
            guard part.events.isEmpty, part.limited.isEmpty else { throw parser.foreign("a reset with events") }
            return (.reset(EventStart(cursor: next, history: present)), WireEphemeral.unseen)
        }
        guard var batch = part.batch(cursor: next, history: present) else {
            throw parser.foreign("a part of the log with an invalid event")
        }
        // Otherwise the same request would be repeated at once, for ever.
        guard batch.isUpToDate || next != cursor else { throw parser.foreign("a part of the log that leads nowhere") }
        // A reader that is behind has cleared what it knew.
        guard batch.isUpToDate else { return (.batch(batch), WireEphemeral.unseen) }
        batch.ephemeral = part.ephemeral?.update
        // A server without ephemeral events names nothing.
        return (.batch(batch), part.ephemeral?.token ?? seen)
    }

    private func ask(
        _ request: HTTPClientRequest
    ) async throws(TransportError) -> (part: WireEvents, history: ServerHistory?) {
        let response: HTTPClientResponse
        do throws(HTTPClientError) {
            response = try await carrier.send(request)
        } catch {
            throw TransportError(error, of: .events, to: carrier.endpoint)
        }
        return (try parser.read(WireEvents.self, from: response, to: .events), parser.history(of: response))
    }
}

/// The outbox from which a transport delivers. A wait for events names it, so that the hub does not end the wait at
/// once for changes of which the client has the response.
final class LastOutbox: Sendable {
    private let guarded = Mutex(OutboxID?.none)

    var id: OutboxID? { guarded.withLock { $0 } }

    func note(_ outbox: OutboxID?) { guarded.withLock { $0 = outbox ?? $0 } }
}
