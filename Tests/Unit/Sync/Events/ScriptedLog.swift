import CausewayModels
import CausewayRuntime
import CausewaySimulatedHub
import CausewayTransport
import Synchronization

/// The log of a scripted server.
struct ScriptedLog: Sendable {
    /// The number in its cursors; another one makes every earlier cursor useless.
    var id = 1
    private(set) var events: [(position: Int, event: RemoteEvent)] = []
    private(set) var end = 0
    /// Cursors below this position are too old.
    var start = 0
    /// The topics that the next part reports as limited, and whose events it leaves out.
    var limited: [EventTopic] = []
    /// The records in one part.
    var partMax = 100
    /// The errors of the next requests.
    var errors: [TransportError] = []
    /// The error of every request.
    var error: TransportError?
    var requests = 0
    var cursorsTaken = 0
    var streamsOpened = 0
    var streamsClosed = 0

    mutating func append(
        _ change: RemoteEvent.Change, in topic: EventTopic, version: Int64? = nil, deleted: DeletedMessage? = nil
    ) {
        end += 1
        let event = RemoteEvent(topic: topic, version: version ?? Int64(end), change: change, deleted: deleted)
        events.removeAll { $0.event.change.isSameRecord(as: change) }
        events.append((end, event))
    }

    var cursor: EventCursor? { cursor(end) }

    func cursor(_ position: Int) -> EventCursor? { EventCursor(rawValue: "\(id).\(position)") }

    func isNew(since cursor: EventCursor) -> Bool { cursor != self.cursor || !limited.isEmpty }

    mutating func part(from cursor: EventCursor, history: ServerHistory?) -> EventPart? {
        guard let here = self.cursor else { return nil }
        let numbers = cursor.rawValue.split(separator: ".").compactMap { Int($0) }
        guard numbers.count == 2, numbers[0] == id, (start...end).contains(numbers[1]) else {
            return .reset(EventStart(cursor: here, history: history))
        }
        defer { limited = [] }
        let newer = events.filter { $0.position > numbers[1] && !limited.contains($0.event.topic) }
        let listed = newer.prefix(partMax)
        let isUpToDate = listed.count == newer.count
        let last = isUpToDate ? here : listed.last.flatMap { self.cursor($0.position) } ?? here
        return .batch(
            EventBatch(
                events: listed.map(\.event), limited: limited, cursor: last, isUpToDate: isUpToDate, history: history))
    }
}

/// The events of a scripted server.
struct ScriptedEvents: EventSource {
    let transport: ScriptedTransport
    let runtime: any Runtime

    func currentCursor(knowing history: ServerHistory?) async throws(TransportError) -> EventStart {
        let (error, cursor, present) = transport.server.withLock { server in
            server.log?.cursorsTaken += 1
            return (server.nextEventError(), server.log?.cursor, server.namesHistory ? server.hub.present : nil)
        }
        if let error { throw error }
        guard let cursor else { throw .refused(code: "notFound", detail: "no events") }
        return EventStart(cursor: cursor, history: present)
    }

    func open(
        from cursor: EventCursor, knowing history: ServerHistory?
    ) async throws(TransportError) -> any EventStream {
        transport.server.withLock { $0.log?.streamsOpened += 1 }
        return ScriptedStream(transport: transport, runtime: runtime, cursor: cursor)
    }
}

final class ScriptedStream: EventStream {
    /// The time after which an empty part comes.
    static let wait: Duration = .seconds(25)

    private let transport: ScriptedTransport
    private let runtime: any Runtime
    private let state: Mutex<(cursor: EventCursor, isFirst: Bool, isClosed: Bool, seen: Int)>

    init(transport: ScriptedTransport, runtime: any Runtime, cursor: EventCursor) {
        self.transport = transport
        self.runtime = runtime
        state = Mutex((cursor, true, false, 0))
    }

    func next(knowing history: ServerHistory?) async throws(TransportError) -> EventPart {
        let (cursor, isFirst, seen) = state.withLock { state in
            defer { state.isFirst = false }
            return (state.cursor, state.isFirst, state.seen)
        }
        transport.server.withLock { $0.log?.requests += 1 }
        let end = runtime.now + Self.wait
        while !isFirst, runtime.now < end {
            let isNew = transport.server.withLock { server in
                server.log.map { $0.isNew(since: cursor) || $0.error != nil || !$0.errors.isEmpty } ?? true
                    || server.ephemeralChanges != seen
            }
            if isNew { break }
            await runtime.sleep(until: runtime.now + .milliseconds(20))
            if Task.isCancelled || state.withLock({ $0.isClosed }) { throw .inDoubt(detail: "the stream has ended") }
        }
        let (error, part) = transport.server.withLock { server in
            let history = server.namesHistory ? server.hub.present : nil
            if let error = server.nextEventError() { return (TransportError?.some(error), EventPart?.none) }
            return (nil, server.log?.part(from: cursor, history: history))
        }
        if let error { throw error }
        guard let part else { throw .unreachable(detail: "no events") }
        guard case .batch(var batch) = part else { return part }
        let (changes, ephemeral) = transport.server.withLock { ($0.ephemeralChanges, $0.ephemeral) }
        if batch.isUpToDate, changes != seen { batch.ephemeral = ephemeral }
        state.withLock { [batch] state in
            state.cursor = batch.cursor
            state.seen = batch.isUpToDate ? changes : 0
        }
        return .batch(batch)
    }

    func close() async {
        state.withLock { $0.isClosed = true }
        transport.server.withLock { $0.log?.streamsClosed += 1 }
    }
}

extension ScriptedTransport.Server {
    fileprivate mutating func nextEventError() -> TransportError? {
        if let error = log?.error { return error }
        return log?.errors.isEmpty == false ? log?.errors.removeFirst() : nil
    }

    /// The ephemeral events change.
    mutating func show(_ channels: [EphemeralUpdate.Channel]) {
        ephemeral = EphemeralUpdate(channels: channels, isComplete: true)
        ephemeralChanges += 1
    }

    /// Another device's message arrives: in pages, and in the log.
    mutating func post(_ message: RemoteMessage) {
        page.removeAll { $0.id == message.id }
        page.append(message)
        newest = max(newest ?? 0, message.serverPosition.position)
        log?.append(.message(message), in: .channel(message.channel))
    }

    /// Another device deletes a message.
    ///
    /// - Parameter time: the time of the deletion, from a server that keeps the tombstone of the message.
    mutating func retract(_ id: MessageID, at time: Timestamp? = nil) {
        guard let message = page.first(where: { $0.id == id }) else { return }
        page.removeAll { $0.id == id }
        let left = time.map { time in
            DeletedMessage(
                id: id, channel: message.channel, sender: message.sender, parent: message.parent,
                type: message.content.type, createdAt: message.createdAt, serverPosition: message.serverPosition,
                deletedAt: time)
        }
        if let left { deletedMessages.append(left) }
        log?.append(.messageDeleted(id), in: .channel(message.channel), deleted: left)
    }
}

extension RemoteEvent.Change {
    fileprivate func isSameRecord(as other: RemoteEvent.Change) -> Bool { record == other.record }

    private var record: String {
        switch self {
        case .message(let message): "message \(message.id)"
        case .messageDeleted(let id): "message \(id)"
        case .record(let record): "\(record.kind) \(record.id)"
        case .recordDeleted(let kind, let id): "\(kind) \(id)"
        }
    }
}
