internal import CausewayHTTPServer
package import CausewayHubRules
package import CausewayHubStorage
package import CausewayModels
internal import Synchronization

/// Wakes the readers of events: after a commit those of the topics that it changed, and each at its deadline.
///
/// Commits of other processes on the same storage (the operator's commands) are found by looking at the log for changed
/// topics from time to time, as long as there are readers, or topics that wait for one to return. So are a reader's own
/// deliveries, of which it knows already: otherwise one that sends would be woken by each of its messages. Rules:
/// ``EventSubscriptions``.
package final class EventNotifier: Sendable {
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
        var ephemeral: EphemeralBoard
        /// Accounts whose rights to type are being read.
        var checks = MembershipChecks()
        var waiting: [EventSubscriptions.ReaderID: Waiting] = [:]
        /// Parts that readers wait to have sent.
        var drains: [EventSubscriptions.ReaderID: ResponseDrain] = [:]
        /// Readers that must not wait any more.
        var ended: Set<EventSubscriptions.ReaderID> = []
        var isClosed = false
        /// The position up to which the changes of other processes have been looked for; `nil` without readers and
        /// registered topics.
        var position: Int64?
        var published = PublishedMemberships(countMax: HubLimits.changedTopicsMax)

        func mayWait(_ id: EventSubscriptions.ReaderID) -> Bool { !isClosed && !ended.contains(id) }

        mutating func remove(_ ids: [EventSubscriptions.ReaderID]) -> [CheckedContinuation<Wake, Never>] {
            ids.compactMap { waiting.removeValue(forKey: $0)?.continuation }
        }

        /// Memberships of these accounts may have changed, in these channels: there they are neither typing nor present
        /// until the topics of the account are registered again.
        ///
        /// - Returns: readers of the channels in which typing has ended, those that were not signaled before.
        mutating func noteMemberships(_ topics: Set<LogTopic>) -> [EventSubscriptions.ReaderID] {
            guard topics.contains(where: \.isAccount) else { return [] }
            var channels: Set<ChannelID> = []
            for case .channel(let channel) in topics { channels.insert(channel) }
            var ended: Set<ChannelID> = []
            for case .account(let user) in topics {
                checks.noteChange(of: user)
                ended.formUnion(ephemeral.endTyping(of: user, in: channels))
                ephemeral.withdraw(user, from: channels)
                if !subscriptions.readsEphemeral(user) { ephemeral.withdraw(user) }
            }
            // Also those of the outbox that removed a member: they know of the removal, and not that typing has ended.
            return ended.flatMap { subscriptions.publishEphemeral(.channel($0)) }
        }

        /// Shows an account as present where its readers read, once that is known.
        mutating func updatePresence(of user: UserID) {
            if let channels = subscriptions.presentChannels(of: user) { ephemeral.arrive(user, in: channels) }
        }
    }

    private let state: Mutex<State>
    let now: @Sendable () -> MonotonicTime
    /// Distinguishes the positions of ephemeral events from those of other runs and other hubs.
    private let run = UInt64.random(in: .min ... .max)

    /// - Parameter now: a clock that never goes back.
    package init(
        _ limits: EventSubscriptions.Limits, _ ephemeral: EphemeralBoard.Limits,
        now: @escaping @Sendable () -> MonotonicTime
    ) {
        state = Mutex(State(subscriptions: EventSubscriptions(limits), ephemeral: EphemeralBoard(ephemeral)))
        self.now = now
    }

    /// The number of readers.
    var count: Int { state.withLock { $0.subscriptions.count } }

    /// A position that the log reached some time ago; 0 if none is known.
    var knownPosition: Int64 { state.withLock { $0.position ?? 0 } }

    // MARK: - Changes

    /// Wakes the readers of topics that a confirmed commit has changed. To be called before the commit is reported to
    /// anyone.
    ///
    /// - Parameters:
    ///   - origin: the outbox that delivered all of the changes; its own readers are woken by the next look at the log.
    ///   - storage: the storage of the commit.
    package func publish(
        _ topics: Set<LogTopic>, by origin: EventSubscriptions.Origin? = nil, in storage: any HubStorage
    ) async {
        guard !topics.isEmpty else { return }
        var position: Int64?
        if topics.contains(where: \.isAccount) { position = try? await storage.logEnd().position }
        let woken = state.withLock { state in
            let ended = state.noteMemberships(topics)
            if let position { state.published.note(topics, upTo: position) }
            let changed = topics.flatMap { state.subscriptions.publish($0, by: origin) }
            return state.remove(ended + changed)
        }
        for continuation in woken { continuation.resume(returning: .changed) }
    }

    /// Wakes the readers of topics that have not read these positions.
    ///
    /// - Parameter last: the position up to which the log has been looked at.
    private func publish(_ topics: [LogTopic: Int64], upTo last: Int64) {
        let woken = state.withLock { state in
            let topics = topics.filter { !state.published.contains($0.key, at: $0.value) }
            state.published.removeAll(upTo: last)
            state.position = last
            let ended = state.noteMemberships(Set(topics.keys))
            let changed = topics.flatMap { state.subscriptions.publish($0.key, at: $0.value) }
            return state.remove(ended + changed)
        }
        for continuation in woken { continuation.resume(returning: .changed) }
    }

    /// Wakes readers at their deadlines and after commits of other processes, until the task is cancelled.
    func run(every interval: Duration, _ storage: any HubStorage) async {
        while (try? await Task.sleep(for: interval)) != nil { await check(storage) }
    }

    /// Wakes the readers whose deadlines have passed, and those of topics that other processes have changed.
    package func check(_ storage: any HubStorage) async {
        expire()
        publishPresence()
        let position = state.withLock { state in
            if state.subscriptions.isEmpty {
                // The next reader looks from the end of the log at that time.
                state.position = nil
                state.published.removeAll(upTo: .max)
            }
            return state.position
        }
        // A storage that fails is asked again.
        guard let position,
            let topics = try? await storage.changedTopics(after: position, limit: HubLimits.changedTopicsMax),
            let last = topics.values.max()
        else { return }
        publish(topics, upTo: last)
    }

    private func expire() {
        let now = now()
        let expired = state.withLock { state in
            state.subscriptions.removeIdle(at: now)
            state.ephemeral.removeExpired(at: now)
            return state.remove(state.waiting.filter { $0.value.deadline <= now }.map(\.key))
        }
        for continuation in expired { continuation.resume(returning: .deadline) }
    }

    /// Ends all waiting, now and later.
    func close() {
        let (ended, drains) = state.withLock { state in
            state.isClosed = true
            return (state.remove(Array(state.waiting.keys)), Array(state.drains.values))
        }
        for continuation in ended { continuation.resume(returning: .ended) }
        for drain in drains { drain.cancel() }
    }

    // MARK: - Ephemeral events

    /// Takes a typing signal, and wakes the readers of its channel.
    ///
    /// - Parameter check: reads the rights of the account, and throws if it may not write to the channel. Called again
    ///   when the memberships of the account have changed meanwhile: a member that is being removed is not shown.
    /// - Returns: `nil` if they have changed with each call; the signal was dropped.
    /// - Throws: errors of `check`.
    package func receive(
        _ signal: EphemeralSignal, _ check: () async throws -> Void
    ) async throws -> EphemeralBoard.Outcome? {
        for _ in 0..<HubLimits.typingChecksMax {
            let changes = state.withLock { $0.checks.begin(signal.user) }
            do {
                try await check()
            } catch {
                state.withLock { _ = $0.checks.end(signal.user, begunAt: changes) }
                throw error
            }
            if let outcome = show(signal, checkedSince: changes) { return outcome }
        }
        return nil
    }

    /// - Returns: `nil` if the memberships of the account have changed since its rights were read.
    private func show(_ signal: EphemeralSignal, checkedSince changes: Int) -> EphemeralBoard.Outcome? {
        let now = now()
        let (outcome, woken) = state.withLock {
            state -> (EphemeralBoard.Outcome?, [CheckedContinuation<Wake, Never>]) in
            guard state.checks.end(signal.user, begunAt: changes) else { return (nil, []) }
            let outcome = state.ephemeral.receive(signal, at: now)
            guard outcome == .latest(isChange: true) else { return (outcome, []) }
            return (outcome, state.remove(state.subscriptions.publishEphemeral(.channel(signal.channel))))
        }
        for continuation in woken { continuation.resume(returning: .changed) }
        return outcome
    }

    /// Ends the typing of an account in channels that have a message of it now.
    func endTyping(of user: UserID, in channels: Set<ChannelID>) {
        let woken = state.withLock { state in
            let changed = state.ephemeral.endTyping(of: user, in: channels)
            return state.remove(changed.flatMap { state.subscriptions.publishEphemeral(.channel($0)) })
        }
        for continuation in woken { continuation.resume(returning: .changed) }
    }

    /// Wakes the readers of channels in which presence has changed: not at once, so that many changes are one.
    private func publishPresence() {
        let woken = state.withLock { state in
            let changed = state.ephemeral.takePresenceChanges()
            return state.remove(changed.flatMap { state.subscriptions.publishEphemeral(.channel($0)) })
        }
        for continuation in woken { continuation.resume(returning: .changed) }
    }

    /// Whether the topics of an account are registered, so that no storage has to be asked for them.
    package func knowsTopics(of account: UserID) -> Bool {
        state.withLock { $0.subscriptions.knowsTopics(of: account) }
    }

    /// The changes of ephemeral events after those that a reader has seen.
    ///
    /// - Returns: `nil` if the memberships of its account may have changed since it was prepared: it is signaled.
    func ephemeral(
        _ id: EventSubscriptions.ReaderID, after seen: EphemeralToken
    ) -> (part: EphemeralBoard.Part, token: EphemeralToken)? {
        let now = now()
        let position = seen.position(in: run)
        let part: EphemeralBoard.Part? = state.withLock { state in
            guard state.subscriptions.isRegistered(id) else { return nil }
            return state.ephemeral.read(after: position, at: now, bytesMax: HubLimits.ephemeralPartBytesMax) {
                state.subscriptions.reads(id, .channel($0))
            }
        }
        return part.map { ($0, .position($0.position, run: run)) }
    }

    // MARK: - Readers

    /// - Parameters:
    ///   - topics: as in ``EventSubscriptions``.
    ///   - outbox: as there.
    ///   - readsEphemeral: whether it also reads ephemeral events; its account is present as long as it does.
    /// - Returns: `nil` when there are too many readers.
    package func enter(
        _ account: UserID, from peer: String, topics: Set<LogTopic>?, outbox: OutboxID?, readsEphemeral: Bool
    ) -> EventSession? {
        let id = state.withLock { state in
            let id = state.subscriptions.enter(
                account, from: peer, topics: topics, outbox: outbox, readsEphemeral: readsEphemeral)
            state.updatePresence(of: account)
            return id
        }
        return id.map { EventSession(id: $0, account: account, self) }
    }

    // MARK: - Sessions

    func leave(_ id: EventSubscriptions.ReaderID, of account: UserID) {
        let now = now()
        state.withLock { state in
            let wasPresent = state.subscriptions.readsEphemeral(account)
            state.subscriptions.leave(id, at: now)
            state.ended.remove(id)
            if wasPresent, !state.subscriptions.readsEphemeral(account) { state.ephemeral.depart(account, at: now) }
        }
    }

    func prepare(
        _ id: EventSubscriptions.ReaderID, _ storage: any HubStorage
    ) async throws(HubStorageError) -> Int? {
        let (generation, isFirst) = state.withLock { ($0.subscriptions.prepare(id), $0.position == nil) }
        if isFirst {
            let end = try await storage.logEnd().position
            state.withLock { $0.position = $0.position ?? end }
        }
        return generation
    }

    func register(_ granted: GrantedTopics, of account: UserID, generation: Int) {
        state.withLock { state in
            state.subscriptions.register(
                granted.topics, channels: granted.channels, of: account, generation: generation)
            state.updatePresence(of: account)
        }
    }

    func wait(
        _ id: EventSubscriptions.ReaderID, after position: Int64, until deadline: MonotonicTime
    ) async -> Wake {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let wake: Wake? = state.withLock { state in
                    state.subscriptions.reach(position, id)
                    if !state.mayWait(id) { return .ended }
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

    func end(_ id: EventSubscriptions.ReaderID) {
        let (waiting, drain) = state.withLock { state in
            // A reader that has left cannot wait any more.
            if state.subscriptions.contains(id) { state.ended.insert(id) }
            return (state.remove([id]), state.drains[id])
        }
        for continuation in waiting { continuation.resume(returning: .ended) }
        drain?.cancel()
    }

    func wait(_ id: EventSubscriptions.ReaderID, for drain: ResponseDrain) async -> Bool {
        let mayWait = state.withLock { state in
            guard state.mayWait(id) else { return false }
            state.drains[id] = drain
            return true
        }
        guard mayWait else { return false }
        await drain.wait()
        return state.withLock { state in
            state.drains[id] = nil
            return state.mayWait(id)
        }
    }
}

extension EventSubscriptions.Limits {
    /// The limits of `HubLimits`.
    package static let hub = EventSubscriptions.Limits(
        readersMax: HubLimits.eventReadersMax, perAccountMax: HubLimits.eventReadersPerAccountMax,
        perPeerMax: HubLimits.eventReadersPerPeerMax, idleTopicsMax: HubLimits.idleTopicsMax,
        idleTime: .seconds(HubLimits.idleTopicsSecondsMax))
}

extension EphemeralBoard.Limits {
    /// The limits of `HubLimits`.
    package static let hub = EphemeralBoard.Limits(
        channelsMax: HubLimits.ephemeralChannelsMax, typingMax: HubLimits.typingMax,
        typingPerAccountMax: HubLimits.typingPerAccountMax, typingPerChannelMax: HubLimits.typingPerChannelMax,
        presentMax: HubLimits.presentMax, presentPerChannelMax: HubLimits.presentPerChannelMax,
        presentChannelsMax: HubLimits.presentChannelsMax, typingLife: .seconds(HubLimits.typingSeconds),
        presenceGrace: .seconds(HubLimits.presenceGraceSeconds))
}
