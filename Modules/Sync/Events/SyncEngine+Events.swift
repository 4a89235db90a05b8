import CausewayModels
import CausewayOutbox
import CausewayRuntime
import CausewayStorage
import CausewayTransport

/// Following the server's events: performs the actions of ``EventFollower``, and reports their results to it.
///
/// One call is under way at a time. Its result is an input of the engine like any other, so a batch is stored in the
/// order of everything else; the next part is requested only then, and nothing accumulates here.
extension SyncEngine {
    /// The stream of events, and the call under way.
    struct EventReading {
        var stream: (any EventStream)?
        var task: RuntimeTask?
        /// The number of the current call; results of earlier ones are obsolete.
        var number = 0
        /// Parts of the log without a change since the cursor was stored.
        var unsaved = 0
    }

    /// A result of a call, with what was known when it was made.
    struct EventCall: Sendable {
        var number: Int
        var session: SessionID
        /// The history that the request named.
        var named: ServerHistory?
        /// The number under which the call is among the pages under way.
        var page: Int
    }

    // MARK: - Occasions

    /// A session began.
    func followEvents(from cursor: EventCursor?) {
        followedEvents.forget()
        guard followsEvents, session != nil, transport?.events != nil else { return perform(follower.stop()) }
        perform(follower.follow(from: cursor))
    }

    /// The store lost the latest commits that it had not confirmed, or was changed otherwise: what they brought is read
    /// again.
    func followStored(_ cursor: EventCursor?) {
        if follower.state != .off, follower.cursor != cursor { followEvents(from: cursor) }
    }

    func stopFollowing() { perform(follower.stop()) }

    /// Adapts to what the outbox found out about the server. Called after every input.
    func adaptFollower() {
        guard follower.state != .off, !isClosed else { return }
        perform(follower.serverBecame(ready: outbox.isServerReady, at: runtime.now))
    }

    func eventDeadlineReached() { perform(follower.deadlineReached(at: runtime.now)) }

    /// A probe succeeded: asks a server that had refused events once more.
    func followAfterProbe() { perform(follower.probeSucceeded()) }

    /// Breaks off the call under way; another one follows when the server is found to be reachable.
    func breakOffEvents() { perform(follower.networkChanged(at: runtime.now)) }

    /// The server has another history: the stored cursor was cleared.
    func forgetEventCursor() {
        followedEvents.forget()
        perform(follower.forgetCursor())
    }

    func eventsStatus(at clock: ClockReading) -> EventsStatus {
        switch follower.state {
        case .off: .none
        case .waiting: .waiting
        case .locating, .catchingUp: .catchingUp
        case .upToDate: .upToDate
        case .backingOff(let until, let problem):
            .interrupted(detail: problem.detail, retryAt: clock.wall(at: until))
        }
    }

    // MARK: - Actions

    private func perform(_ actions: [EventFollower.Action]) {
        followedEvents.become(follower.phase)
        adaptEphemeral()
        for action in actions {
            switch action {
            case .takeCursor:
                call { source, _, history throws(TransportError) in
                    .start(try await source.currentCursor(knowing: history))
                }
            case .open(let cursor):
                call { [weak self] source, number, history throws(TransportError) in
                    let stream = try await source.open(from: cursor, knowing: history)
                    await self?.opened(stream, number)
                    return .part(try await stream.next(knowing: history))
                }
            case .readOn:
                guard let stream = events.stream else { continue }
                call { _, _, history throws(TransportError) in .part(try await stream.next(knowing: history)) }
            case .end: endReading()
            case .probe: submit(.event(.probeRequested))
            case .notify(let trigger): tell(trigger)
            }
        }
    }

    private enum EventResult: Sendable {
        case start(EventStart)
        case part(EventPart)
    }

    private func call(
        _ read:
            @escaping @Sendable (any EventSource, Int, ServerHistory?) async throws(TransportError) -> EventResult
    ) {
        guard let source = transport?.events, let session else { return }
        events.number += 1
        let call = EventCall(
            number: events.number, session: session.id, named: history, page: beginPage(isOfEvents: true))
        events.task = runtime.spawn { [weak self] in
            let result: Result<EventResult, TransportError>
            do throws(TransportError) {
                result = .success(try await read(source, call.number, call.named))
            } catch {
                result = .failure(error)
            }
            await self?.ended(call, result)
        }
    }

    /// Keeps the stream, unless the call that opened it is obsolete.
    private func opened(_ stream: any EventStream, _ number: Int) async {
        guard number == events.number, !isClosed else { return await stream.close() }
        events.stream = stream
    }

    private func endReading() {
        events.number += 1
        events.task?.cancel()
        events.task = nil
        guard let stream = events.stream else { return }
        events.stream = nil
        runtime.spawn { await stream.close() }
    }

    // MARK: - Results

    private func ended(_ call: EventCall, _ result: Result<EventResult, TransportError>) {
        guard !isClosed else { return }
        submit(
            .work { engine in
                defer { engine.pagesUnderWay[call.page] = nil }
                guard !engine.isClosed, call.number == engine.events.number, engine.session?.id == call.session else {
                    return
                }
                switch result {
                case .failure(let error): engine.failedToFollow(EventProblem(error))
                case .success(.start(let start)): await engine.restart(at: start, call) { $0.located($1) }
                case .success(.part(.reset(let start))): await engine.restart(at: start, call) { $0.reset(to: $1) }
                case .success(.part(.batch(let batch))): await engine.store(batch, call)
                }
            })
    }

    private func failedToFollow(_ problem: EventProblem) {
        let jitter = Double(runtime.random() >> 11) / Double(UInt64(1) << 53)
        perform(follower.failed(problem, at: runtime.now, jitter: jitter))
    }

    /// Checks the history that a response names; false if the response must not be used.
    private func admitEvents(_ seen: ServerHistory?, _ call: EventCall) async -> Bool {
        guard admit(seen, named: call.named) else {
            failedToFollow(EventProblem(kind: .account, detail: "the server's data may have been replaced"))
            return false
        }
        await perform(outbox.handle(.heard, at: clock))
        return true
    }

    /// Stores a cursor that continues no earlier one.
    private func restart(
        at start: EventStart, _ call: EventCall,
        _ next: (inout EventFollower, EventCursor) -> [EventFollower.Action]
    ) async {
        guard await admitEvents(start.history, call) else { return }
        do throws(StoreError) {
            try await commitEvents([.setEventCursor(start.cursor)])
        } catch {
            return failedToFollow(EventProblem(kind: .store, detail: error.description))
        }
        followedEvents.forget()
        perform(next(&follower, start.cursor))
    }

    private func store(_ batch: EventBatch, _ call: EventCall) async {
        guard await admitEvents(batch.history, call) else { return }
        let limited: Set<ChannelID>?
        do throws(StoreError) {
            limited = try await apply(batch, call)
        } catch {
            return failedToFollow(EventProblem(kind: .store, detail: error.description))
        }
        let isAwaited = batch.isUpToDate && followedEvents.caughtUp()
        perform(
            follower.stored(
                batch.cursor, limited: limited, isUpToDate: batch.isUpToDate, isAwaited: isAwaited))
        showEphemeral(of: batch)
    }

    /// Merges a batch into the store, in one commit with its cursor.
    ///
    /// - Returns: the channels of which pages must be read; see ``EventFollower``.
    private func apply(_ batch: EventBatch, _ call: EventCall) async throws(StoreError) -> Set<ChannelID>? {
        if batch.events.isEmpty, batch.limited.isEmpty {
            // Only other accounts' changes, or a sign of life: not worth a write to the disk each time.
            if batch.cursor == follower.cursor { return nil }
            events.unsaved += 1
            if events.unsaved < SyncLimits.eventCursorsUnsavedMax { return nil }
        }
        let changes = EventChanges(batch, interpreter, gone: pagesUnderWay[call.page]?.gone ?? [])
        let stored = try await store.messages(changes.deleted)
        // The server had them, so they were delivered; what was lost is the response. The outbox ends their deliveries.
        let undelivered = stored.filter { $0.syncState != .synced && $0.sender == session?.user }
        _ = try await deleteInTurn(undelivered.map(StoredItem.message), by: .api)
        var removed: [(kind: RecordKind, id: String, version: Int64)] = []
        for record in changes.removedRecords {
            // A page may have brought a later state already, and one that is under way an earlier one later.
            let known = try await store.record(record.kind, record.id)
            if known.map({ $0.version <= record.version }) ?? true { removed.append(record) }
        }
        let now = clock.wall
        var mutations = changes.messages.map { Mutation.merge($0, at: now) }
        mutations += stored.filter { $0.syncState == .synced }.map { .delete($0.id) }
        mutations += Self.keeping(changes.tombstones)
        if !changes.records.isEmpty { mutations.append(.mergeRecords(RecordMerge(changes.records))) }
        mutations += removed.map { .removeRecord($0.kind, $0.id) }
        followedEvents.interrupt(changes.limited ?? [])
        let durability = try await durability(of: changes.messages)
        try await commitEvents(mutations + [.setEventCursor(batch.cursor)], durability)
        noteGone(changes.deleted)
        noteArrived(changes.messages.map(\.id))
        recordReads.noteStored(changes.records, isRead: false)
        for record in removed { recordReads.noteRemoved(record.kind, record.id, at: record.version) }
        for channel in changes.lost { ephemeral.remove(channel) }
        followedEvents.note(changes.messages)
        await confirm(changes.messages.filter { $0.sender == session?.user })
        return changes.limited
    }

    /// The durability that a batch needs. The server sends again what a power loss takes back together with its cursor,
    /// so the disk is not waited for; but a message that was not known to be delivered brings its verdict with it.
    private func durability(of messages: [RemoteMessage]) async throws(StoreError) -> Durability {
        let own = messages.filter { $0.sender == session?.user }.map(\.id)
        if own.isEmpty { return .normal }
        return try await store.messages(own).allSatisfy { $0.syncState == .synced } ? .normal : .full
    }

    private func commitEvents(
        _ mutations: [Mutation], _ durability: Durability = .full
    ) async throws(StoreError) {
        // Another response may move it on while the store is waited for; the client vouches for what it keeps of it.
        let (noted, unkept) = (history, unkeptHistory)
        try await store.commit(mutations + unkept, durability: unkept.isEmpty ? durability : .full)
        keptHistory = noted
        events.unsaved = 0
    }
}

/// The contents of a batch, by what is done with them.
private struct EventChanges {
    var messages: [RemoteMessage] = []
    var deleted: [MessageID] = []
    /// The tombstones of the deleted messages, as far as the server reports them.
    var tombstones: [DeletedMessage] = []
    var records: [StoredRecord] = []
    var removedRecords: [(kind: RecordKind, id: String, version: Int64)] = []
    var limited: Set<ChannelID>?
    /// Channels that the account can no longer read.
    var lost: [ChannelID] = []

    /// - Parameter gone: messages that were found to be deleted since the batch was requested.
    init(_ batch: EventBatch, _ interpreter: EventInterpreter, gone: Set<MessageID>) {
        for event in batch.events {
            switch event.change {
            case .message(let message) where gone.contains(message.id):
                // A server that has lost data gets it again: whether it is there is read anew.
                limited = (limited ?? []).union([message.channel])
            case .message(let message): messages.append(message)
            case .messageDeleted(let id):
                deleted.append(id)
                if let message = event.deleted { tombstones.append(message) }
            case .record(let record): if let stored = interpreter.stored(record) { records.append(stored) }
            case .recordDeleted(let kind, let id):
                removedRecords.append((kind, id, event.version))
                // Without the right to read it, nothing more of the channel arrives.
                if event.topic == .account, let channel = interpreter.channel(kind, id) {
                    limited = (limited ?? []).union([channel])
                    lost.append(channel)
                }
            }
        }
        for topic in batch.limited {
            if case .channel(let channel) = topic {
                limited = (limited ?? []).union([channel])
            } else {
                limited = limited ?? []
            }
        }
    }
}
