package import CausewayModels

/// The readers that wait for changes, and the topics that wake them; free of I/O.
///
/// A reader is a position and a signal, not a queue: a signal says that reading may yield something, and any number of
/// changes before it is taken are one. A change reaches the readers of its topic and no others.
///
/// The topics of an account are registered once, for all of its readers, and stay for a while after the last one has
/// left: a reader that returns soon costs the same whatever the number of its channels. They are forgotten when the
/// account's own topic changes, because its memberships may have; its readers are signaled then, and the next one
/// registers them again.
package struct EventSubscriptions: Sendable {
    package typealias ReaderID = Int

    package struct Limits: Sendable, Hashable {
        package var readersMax: Int
        package var perAccountMax: Int
        package var perPeerMax: Int
        /// Registered topics of accounts without readers.
        package var idleTopicsMax: Int
        /// How long they stay.
        package var idleTime: Duration

        package init(readersMax: Int, perAccountMax: Int, perPeerMax: Int, idleTopicsMax: Int, idleTime: Duration) {
            self.readersMax = readersMax
            self.perAccountMax = perAccountMax
            self.perPeerMax = perPeerMax
            self.idleTopicsMax = idleTopicsMax
            self.idleTime = idleTime
        }
    }

    /// The outbox that delivered a change.
    package struct Origin: Sendable, Hashable {
        package let account: UserID
        package let outbox: OutboxID

        package init(account: UserID, outbox: OutboxID) {
            self.account = account
            self.outbox = outbox
        }
    }

    private struct Reader: Sendable {
        let account: UserID
        let peer: String
        let outbox: OutboxID?
        /// `nil` for all topics of the account.
        let topics: Set<LogTopic>?
        let readsEphemeral: Bool
        var position: Int64 = 0
        var isSignaled = false
    }

    private struct Account: Sendable {
        /// `nil` until they are registered, and after the account's own topic has changed.
        var topics: Set<LogTopic>?
        /// The first channels among them, in which the account is shown as present.
        var channels: [ChannelID] = []
        var readers: Set<ReaderID> = []
        /// Those that read ephemeral events.
        var ephemeralReaders = 0
        /// Changes whenever the topics are forgotten.
        var generation = 0
        /// When the last reader left.
        var idleSince: MonotonicTime?
    }

    private let limits: Limits
    private var readers: [ReaderID: Reader] = [:]
    private var lastID = 0
    private var accounts: [UserID: Account] = [:]
    private var subscribers: [LogTopic: Set<UserID>] = [:]
    private var ofPeers: [String: Int] = [:]
    private var idleTopics = 0

    package init(_ limits: Limits) { self.limits = limits }

    /// The number of readers.
    package var count: Int { readers.count }

    /// True without readers and without registered topics of accounts.
    package var isEmpty: Bool { accounts.isEmpty }

    package func contains(_ id: ReaderID) -> Bool { readers[id] != nil }

    /// The registered topics of all accounts.
    package var topicCount: Int { accounts.values.reduce(0) { $0 + ($1.topics?.count ?? 0) } }

    // MARK: - Readers

    /// Registers a reader, which is not signaled.
    ///
    /// - Parameters:
    ///   - topics: the topics that it reads besides the account's own; `nil` for all that the account may read.
    ///   - outbox: the reader's own, of whose changes it knows already; see `publish`.
    ///   - readsEphemeral: whether it also reads the ephemeral events of these topics.
    /// - Returns: `nil` when there are too many, in all, of the account, or of the address.
    package mutating func enter(
        _ account: UserID, from peer: String, topics: Set<LogTopic>?, outbox: OutboxID? = nil,
        readsEphemeral: Bool = false
    ) -> ReaderID? {
        guard readers.count < limits.readersMax, ofPeers[peer] ?? 0 < limits.perPeerMax,
            accounts[account]?.readers.count ?? 0 < limits.perAccountMax
        else { return nil }
        lastID += 1
        readers[lastID] = Reader(
            account: account, peer: peer, outbox: outbox, topics: topics, readsEphemeral: readsEphemeral)
        ofPeers[peer, default: 0] += 1
        if accounts[account]?.idleSince != nil {
            idleTopics -= accounts[account]?.topics?.count ?? 0
            accounts[account]?.idleSince = nil
        }
        accounts[account, default: Account()].readers.insert(lastID)
        if readsEphemeral { accounts[account]?.ephemeralReaders += 1 }
        return lastID
    }

    package mutating func leave(_ id: ReaderID, at now: MonotonicTime) {
        guard let reader = readers.removeValue(forKey: id) else { return }
        let rest = (ofPeers[reader.peer] ?? 0) - 1
        ofPeers[reader.peer] = rest > 0 ? rest : nil
        accounts[reader.account]?.readers.remove(id)
        if reader.readsEphemeral { accounts[reader.account]?.ephemeralReaders -= 1 }
        guard let account = accounts[reader.account], account.readers.isEmpty else { return }
        let count = account.topics?.count ?? 0
        guard count > 0, idleTopics + count <= limits.idleTopicsMax else { return forget(reader.account) }
        idleTopics += count
        accounts[reader.account]?.idleSince = now
    }

    /// Forgets the topics of accounts that had no reader for a while.
    package mutating func removeIdle(at now: MonotonicTime) {
        for (user, account) in accounts {
            guard let since = account.idleSince, now - since >= limits.idleTime else { continue }
            forget(user)
        }
    }

    private mutating func forget(_ user: UserID) {
        unregisterTopics(of: user)
        if accounts[user]?.readers.isEmpty == true { accounts[user] = nil }
    }

    // MARK: - Topics

    /// Takes back the signal of a reader, before it reads.
    ///
    /// - Returns: the generation with which the topics of its account have to be registered, before it reads; `nil` if
    ///   they are registered.
    package mutating func prepare(_ id: ReaderID) -> Int? {
        readers[id]?.isSignaled = false
        guard let user = readers[id]?.account, let account = accounts[user], account.topics == nil else { return nil }
        return account.generation
    }

    /// Registers the topics that an account may read, as they were read after `prepare(_:)` returned the generation.
    /// Does nothing when they may have changed since.
    ///
    /// - Parameter channels: the first channels among them, in which the account is shown as present.
    package mutating func register(
        _ topics: Set<LogTopic>, channels: [ChannelID] = [], of user: UserID, generation: Int
    ) {
        guard let account = accounts[user], account.topics == nil, account.generation == generation else { return }
        let topics = topics.union([.account(user)])
        accounts[user]?.topics = topics
        accounts[user]?.channels = channels
        if account.idleSince != nil { idleTopics += topics.count }
        for topic in topics { subscribers[topic, default: []].insert(user) }
    }

    private mutating func unregisterTopics(of user: UserID) {
        guard let account = accounts[user] else { return }
        if account.idleSince != nil { idleTopics -= account.topics?.count ?? 0 }
        for topic in account.topics ?? [] {
            subscribers[topic]?.remove(user)
            if subscribers[topic]?.isEmpty == true { subscribers[topic] = nil }
        }
        accounts[user]?.topics = nil
        accounts[user]?.channels = []
        accounts[user]?.generation += 1
    }

    // MARK: - Ephemeral events

    /// The channels in which an account with a reader of ephemeral events is shown as present; `nil` if it has none, or
    /// its topics are not registered.
    package func presentChannels(of user: UserID) -> [ChannelID]? {
        guard let account = accounts[user], account.ephemeralReaders > 0, account.topics != nil else { return nil }
        return account.channels
    }

    package func knowsTopics(of user: UserID) -> Bool { accounts[user]?.topics != nil }

    package func readsEphemeral(_ user: UserID) -> Bool { accounts[user]?.ephemeralReaders ?? 0 > 0 }

    /// Whether the topics of a reader's account are registered.
    package func isRegistered(_ id: ReaderID) -> Bool {
        readers[id].map { accounts[$0.account]?.topics != nil } ?? false
    }

    /// Whether a reader reads this topic, as far as the registered topics of its account are known.
    package func reads(_ id: ReaderID, _ topic: LogTopic) -> Bool {
        guard let reader = readers[id], reader.topics?.contains(topic) != false else { return false }
        return accounts[reader.account]?.topics?.contains(topic) == true
    }

    /// Signals the readers of ephemeral events of a channel.
    ///
    /// - Returns: the readers that were not signaled before.
    /// - Complexity: O(readers of the topic).
    package mutating func publishEphemeral(_ topic: LogTopic) -> [ReaderID] {
        publish(topic, at: .max) { $0.readsEphemeral }
    }

    // MARK: - Signals

    /// The position that a reader has read.
    package mutating func reach(_ position: Int64, _ id: ReaderID) { readers[id]?.position = position }

    package func isSignaled(_ id: ReaderID) -> Bool { readers[id]?.isSignaled ?? true }

    /// Signals the readers of topics that have changed.
    ///
    /// - Parameters:
    ///   - position: that of the change; a reader that has read it is not signaled, unless the topic is the account's
    ///     own: its topics have to be registered again.
    ///   - origin: the outbox that delivered the change. Its own readers are not signaled, unless the topic is the
    ///     account's own: they have the response to the delivery, and the next look at the log signals them.
    /// - Returns: the readers that were not signaled before.
    /// - Complexity: O(readers of the topic), and of an account's own topic also O(topics of the account).
    package mutating func publish(
        _ topic: LogTopic, at position: Int64 = .max, by origin: Origin? = nil
    ) -> [ReaderID] {
        if case .account(let user) = topic, let account = accounts[user] {
            var signaled: [ReaderID] = []
            // Also when its topics are not registered yet: they may be being read. And also those that have read the
            // change: nothing else wakes a reader without topics.
            for id in account.readers { signal(id, at: .max, &signaled) }
            forget(user)
            return signaled
        }
        return publish(topic, at: position) { reader in
            origin.map { $0.account != reader.account || $0.outbox != reader.outbox } ?? true
        }
    }

    private mutating func publish(
        _ topic: LogTopic, at position: Int64, to isAddressed: (Reader) -> Bool
    ) -> [ReaderID] {
        var signaled: [ReaderID] = []
        for user in subscribers[topic] ?? [] {
            for id in accounts[user]?.readers ?? [] {
                guard let reader = readers[id], reader.topics?.contains(topic) != false, isAddressed(reader) else {
                    continue
                }
                signal(id, at: position, &signaled)
            }
        }
        return signaled
    }

    private mutating func signal(_ id: ReaderID, at position: Int64, _ signaled: inout [ReaderID]) {
        guard let reader = readers[id], !reader.isSignaled, reader.position < position else { return }
        readers[id]?.isSignaled = true
        signaled.append(id)
    }
}
