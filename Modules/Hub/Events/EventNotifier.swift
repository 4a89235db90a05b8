package import CausewayHubRules
internal import CausewayHubStorage
internal import CausewayModels
internal import Synchronization

/// Wakes the readers of events: after a commit those of the topics that it changed, and each at its deadline.
///
/// Commits of other processes on the same storage (the operator's commands) are found by looking at the log for changed
/// topics from time to time, as long as there are readers. So are a reader's own deliveries, of which it knows already:
/// otherwise one that sends would be woken by each of its messages. Rules: ``EventSubscriptions``.
final class EventNotifier: Sendable {
    enum Wake: Sendable {
        /// Reading may yield something.
        case changed
        case deadline
        /// The hub stops, the connection is closed, or the task was cancelled.
        case ended
    }

    private struct Waiting {
        let continuation: CheckedContinuation<Wake, Never>
        let deadline: MonotonicTime
    }

    private struct State {
        var subscriptions: EventSubscriptions
        var waiting: [EventSubscriptions.ReaderID: Waiting] = [:]
        /// Readers that must not wait any more.
        var ended: Set<EventSubscriptions.ReaderID> = []
        var isClosed = false
        /// The position up to which the changes of other processes have been looked for; `nil` without readers.
        var position: Int64?

        mutating func remove(_ ids: [EventSubscriptions.ReaderID]) -> [CheckedContinuation<Wake, Never>] {
            ids.compactMap { waiting.removeValue(forKey: $0)?.continuation }
        }
    }

    private let state: Mutex<State>
    let now: @Sendable () -> MonotonicTime

    /// - Parameter now: a clock that never goes back.
    init(_ limits: EventSubscriptions.Limits, now: @escaping @Sendable () -> MonotonicTime) {
        state = Mutex(State(subscriptions: EventSubscriptions(limits)))
        self.now = now
    }

    /// The number of readers.
    var count: Int { state.withLock { $0.subscriptions.count } }

    /// A position that the log reached some time ago; 0 if none is known.
    var knownPosition: Int64 { state.withLock { $0.position ?? 0 } }

    // MARK: - Changes

    /// Wakes the readers of topics that a confirmed commit has changed.
    ///
    /// - Parameter origin: the outbox that delivered all of the changes; its own readers are woken by the next look at
    ///   the log.
    func publish(_ topics: Set<LogTopic>, by origin: EventSubscriptions.Origin? = nil) {
        guard !topics.isEmpty else { return }
        let woken = state.withLock { state in
            state.remove(topics.flatMap { state.subscriptions.publish($0, by: origin) })
        }
        for continuation in woken { continuation.resume(returning: .changed) }
    }

    /// Wakes the readers of topics that have not read these positions.
    private func publish(_ topics: [LogTopic: Int64]) {
        let woken = state.withLock { state in
            state.remove(topics.flatMap { state.subscriptions.publish($0.key, at: $0.value) })
        }
        for continuation in woken { continuation.resume(returning: .changed) }
    }

    /// Wakes readers at their deadlines and after commits of other processes, until the task is cancelled.
    func run(every interval: Duration, _ storage: any HubStorage) async {
        while (try? await Task.sleep(for: interval)) != nil {
            expire()
            let position = state.withLock { state in
                if state.subscriptions.count == 0 { state.position = nil }
                return state.position
            }
            // A storage that fails is asked again.
            guard let position,
                let topics = try? await storage.changedTopics(after: position, limit: HubLimits.changedTopicsMax),
                let last = topics.values.max()
            else { continue }
            state.withLock { $0.position = last }
            publish(topics)
        }
    }

    private func expire() {
        let now = now()
        let expired = state.withLock { state in
            state.subscriptions.removeIdle(at: now)
            return state.remove(state.waiting.filter { $0.value.deadline <= now }.map(\.key))
        }
        for continuation in expired { continuation.resume(returning: .deadline) }
    }

    /// Ends all waiting, now and later.
    func close() {
        let ended = state.withLock { state in
            state.isClosed = true
            return state.remove(Array(state.waiting.keys))
        }
        for continuation in ended { continuation.resume(returning: .ended) }
    }

    // MARK: - Readers

    /// - Parameters:
    ///   - topics: as in ``EventSubscriptions``.
    ///   - outbox: as there.
    /// - Returns: `nil` when there are too many readers.
    func enter(
        _ account: UserID, from peer: String, topics: Set<LogTopic>?, outbox: OutboxID?
    ) -> EventSession? {
        state.withLock { $0.subscriptions.enter(account, from: peer, topics: topics, outbox: outbox) }.map {
            EventSession(id: $0, account: account, self)
        }
    }

    fileprivate func leave(_ id: EventSubscriptions.ReaderID) {
        let now = now()
        state.withLock { state in
            state.subscriptions.leave(id, at: now)
            state.ended.remove(id)
        }
    }

    fileprivate func prepare(
        _ id: EventSubscriptions.ReaderID, _ storage: any HubStorage
    ) async throws(HubStorageError) -> Int? {
        let (generation, isFirst) = state.withLock { ($0.subscriptions.prepare(id), $0.position == nil) }
        if isFirst {
            let end = try await storage.logEnd().position
            state.withLock { $0.position = $0.position ?? end }
        }
        return generation
    }

    fileprivate func register(_ topics: Set<LogTopic>, of account: UserID, generation: Int) {
        state.withLock { $0.subscriptions.register(topics, of: account, generation: generation) }
    }

    fileprivate func wait(
        _ id: EventSubscriptions.ReaderID, after position: Int64, until deadline: MonotonicTime
    ) async -> Wake {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let wake: Wake? = state.withLock { state in
                    state.subscriptions.reach(position, id)
                    if state.isClosed || state.ended.contains(id) { return .ended }
                    if state.subscriptions.isSignaled(id) { return .changed }
                    state.waiting[id] = Waiting(continuation: continuation, deadline: deadline)
                    return nil
                }
                if let wake { continuation.resume(returning: wake) }
            }
        } onCancel: {
            end(id)
        }
    }

    fileprivate func end(_ id: EventSubscriptions.ReaderID) {
        let waiting = state.withLock { state in
            // A reader that has left cannot wait any more.
            if state.subscriptions.contains(id) { state.ended.insert(id) }
            return state.remove([id])
        }
        for continuation in waiting { continuation.resume(returning: .ended) }
    }
}

/// One reader of events, from its request to the end of its response.
final class EventSession: Sendable {
    private let id: EventSubscriptions.ReaderID
    private let account: UserID
    private let notifier: EventNotifier

    fileprivate init(id: EventSubscriptions.ReaderID, account: UserID, _ notifier: EventNotifier) {
        self.id = id
        self.account = account
        self.notifier = notifier
    }

    deinit { notifier.leave(id) }

    /// To be called before reading: a change from then on ends the next wait at once.
    func prepare(_ storage: any HubStorage) async throws(HubStorageError) {
        guard let generation = try await notifier.prepare(id, storage) else { return }
        let topics = try await TopicRights(of: account).grantedTopics(storage)
        notifier.register(topics, of: account, generation: generation)
    }

    /// Waits for a change.
    ///
    /// - Parameter position: the position that has been read.
    func wait(after position: Int64, until deadline: MonotonicTime) async -> EventNotifier.Wake {
        await notifier.wait(id, after: position, until: deadline)
    }

    /// Ends a wait, also a later one.
    func end() { notifier.end(id) }
}

extension TopicRights {
    /// The topics that the account may read now, without its own.
    fileprivate func grantedTopics(_ storage: any HubStorage) async throws(HubStorageError) -> Set<LogTopic> {
        var topics: Set<LogTopic> = []
        var range = RecordRange()
        repeat {
            let page = try await storage.records(
                in: grants, range, limit: PageLimit(count: HubLimits.changedTopicsMax, contentBytes: .max))
            topics.formUnion(page.rows.compactMap { topic(grantedBy: $0.key) })
            range.after = page.next
        } while range.after != nil
        return topics
    }
}

extension EventSubscriptions.Limits {
    /// The limits of `HubLimits`.
    package static let hub = EventSubscriptions.Limits(
        readersMax: HubLimits.eventReadersMax, perAccountMax: HubLimits.eventReadersPerAccountMax,
        perPeerMax: HubLimits.eventReadersPerPeerMax, idleTopicsMax: HubLimits.idleTopicsMax,
        idleTime: .seconds(HubLimits.idleTopicsSecondsMax))
}
