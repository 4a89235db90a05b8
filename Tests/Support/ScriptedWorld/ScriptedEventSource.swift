import Causeway
import Synchronization

/// The log of a ``ScriptedServer``: the messages that changed, in the order of their last changes.
struct ScriptedLog: Sendable {
    private(set) var end: Int64 = 0
    private var changed: [MessageID: Int64] = [:]

    mutating func append(_ message: MessageID) {
        end += 1
        changed[message] = end
    }

    func changes(after position: Int64) -> [(id: MessageID, position: Int64)] {
        changed.filter { $0.value > position }.map { ($0.key, $0.value) }.sorted { $0.1 < $1.1 }
    }

    static func cursor(_ position: Int64) throws(TransportError) -> EventCursor {
        guard let cursor = EventCursor(rawValue: "log.\(position)") else {
            throw .unreachable(detail: "an invalid cursor")
        }
        return cursor
    }

    static func position(_ cursor: EventCursor) -> Int64? {
        let parts = cursor.rawValue.split(separator: ".")
        return parts.count == 2 && parts[0] == "log" ? Int64(parts[1]) : nil
    }
}

extension ScriptedServerState {
    /// The next part of the log.
    func events(after cursor: EventCursor) throws(TransportError) -> EventPart {
        let end = try ScriptedLog.cursor(log.end)
        guard let position = ScriptedLog.position(cursor), (0...log.end).contains(position) else {
            return .reset(EventStart(cursor: end))
        }
        let all = log.changes(after: position)
        let part = all.prefix(3)
        let isUpToDate = part.count == all.count
        let events = part.compactMap { id, position in
            sent[id].map { message in
                RemoteEvent(
                    topic: .channel(message.channel), version: position,
                    change: deleted.contains(id) ? .messageDeleted(id) : .message(message))
            }
        }
        let next = isUpToDate ? end : try ScriptedLog.cursor(part.last?.position ?? position)
        return .batch(EventBatch(events: events, cursor: next, isUpToDate: isUpToDate))
    }
}

/// The events of a ``ScriptedServer``.
struct ScriptedEventSource: EventSource {
    let connection: ScriptedConnection

    func currentCursor(knowing history: ServerHistory?) async throws(TransportError) -> EventStart {
        try connection.check()
        return EventStart(cursor: try ScriptedLog.cursor(connection.server.state.withLock { $0.log.end }))
    }

    func open(
        from cursor: EventCursor, knowing history: ServerHistory?
    ) async throws(TransportError) -> any EventStream {
        try connection.check()
        return ScriptedEventStream(connection, cursor)
    }
}

final class ScriptedEventStream: EventStream {
    private let connection: ScriptedConnection
    private let runtime = SystemRuntime()
    private let state: Mutex<(cursor: EventCursor, isWaiting: Bool, isClosed: Bool, seen: Int?)>

    init(_ connection: ScriptedConnection, _ cursor: EventCursor) {
        self.connection = connection
        state = Mutex((cursor, false, false, nil))
    }

    func next(knowing history: ServerHistory?) async throws(TransportError) -> EventPart {
        let (cursor, isWaiting, seen) = state.withLock { ($0.cursor, $0.isWaiting, $0.seen) }
        let deadline = runtime.now + .seconds(20)
        while isWaiting, runtime.now < deadline, try !isNew(since: cursor, seen) {
            await runtime.sleep(until: runtime.now + .milliseconds(1))
        }
        guard try isOpen() else { throw .inDoubt(detail: "the stream has ended") }
        let (part, ephemeral) = try connection.server.state.withLock { state throws(TransportError) in
            (try state.events(after: cursor), state.ephemeral)
        }
        guard case .batch(var batch) = part else { return part }
        if batch.isUpToDate { batch.ephemeral = ephemeral.update(after: seen) }
        state.withLock { [batch] state in
            state.cursor = batch.cursor
            state.isWaiting = batch.isUpToDate
            state.seen = batch.isUpToDate ? ephemeral.changes : nil
        }
        return .batch(batch)
    }

    private func isOpen() throws(TransportError) -> Bool {
        try connection.check()
        return !state.withLock({ $0.isClosed }) && !Task.isCancelled
    }

    private func isNew(since cursor: EventCursor, _ seen: Int?) throws(TransportError) -> Bool {
        guard try isOpen() else { return true }
        guard let position = ScriptedLog.position(cursor) else { return true }
        return connection.server.state.withLock { position < $0.log.end || $0.ephemeral.changes != seen }
    }

    func close() async { state.withLock { $0.isClosed = true } }
}
