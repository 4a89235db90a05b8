package import CausewayHubRules
package import CausewayModels
internal import Synchronization

/// A hub's storage in memory, for tests: complete, and gone with its last reference.
///
/// A transaction is one turn of a lock. Nothing ever fails except by the content.
package final class MemoryHubStorage: HubStorage {
    private struct Guarded: Sendable {
        var state: MemoryHubState
        var opening: HubOpening?
        var calls = 0
        var isClosed = false
    }

    private static let path = "memory"
    private let guarded: Mutex<Guarded>

    /// Creates the storage of a new hub.
    ///
    /// - Parameters:
    ///   - hub: the identity of the hub; 16 random bytes.
    ///   - sealKey: 32 random bytes.
    ///   - history: the id of its first history; 16 random bytes.
    package init(hub: [UInt8], sealKey: [UInt8], history: [UInt8]) {
        guarded = Mutex(Guarded(state: MemoryHubState(hub: hub, sealKey: sealKey, history: history)))
    }

    private init(_ state: MemoryHubState) { guarded = Mutex(Guarded(state: state)) }

    /// The storage after a restart: the same content, without an opening.
    package func restarted() -> MemoryHubStorage { guarded.withLock { MemoryHubStorage($0.state) } }

    package var isHealthy: Bool { guarded.withLock { !$0.isClosed } }

    package var activity: Int { guarded.withLock { $0.calls } }

    package func rest() async -> Bool { true }

    package func close() { guarded.withLock { $0.isClosed = true } }

    func use<Value: Sendable>(
        isActivity: Bool = true,
        _ body: (inout MemoryHubState, inout HubOpening?) throws(HubStorageError) -> Value
    ) throws(HubStorageError) -> Value {
        try guarded.withLock { guarded throws(HubStorageError) -> Value in
            guard !guarded.isClosed else { throw .recovering(path: Self.path) }
            if isActivity { guarded.calls += 1 }
            // Changed as a whole or not at all.
            var state = guarded.state
            let value = try body(&state, &guarded.opening)
            guarded.state = state
            return value
        }
    }

    /// The last confirmed commit.
    private static func cursor(_ opening: HubOpening?) throws(HubStorageError) -> ChangesCursor {
        guard let opening else { throw .recovering(path: path) }
        return ChangesCursor(opening: opening.id, commit: opening.lastCommit)
    }
}

// MARK: - Accounts

extension MemoryHubStorage {
    package func account(tokenDigest: [UInt8]) async throws(HubStorageError) -> HubAccount? {
        try use(isActivity: false) { state, _ in state.account(tokenDigest: tokenDigest) }
    }

    package func accounts() async throws(HubStorageError) -> [HubAccount] {
        try use { state, _ in state.accounts.values.map(\.account).sorted { $0.user.value < $1.user.value } }
    }

    package func addAccount(_ user: UserID, tokenDigest: [UInt8], at time: Timestamp) async throws(HubStorageError) {
        try use { state, _ throws(HubStorageError) in try state.addAccount(user, tokenDigest, at: time) }
    }

    package func renewAccount(_ user: UserID, tokenDigest: [UInt8]) async throws(HubStorageError) {
        try use { state, _ throws(HubStorageError) in try state.renewAccount(user, tokenDigest) }
    }

    package func removeAccount(_ user: UserID, at time: Timestamp) async throws(HubStorageError) {
        try use { state, _ throws(HubStorageError) in try state.removeAccount(user, at: time) }
    }
}

// MARK: - Records

extension MemoryHubStorage {
    package func records(_ keys: RecordKeys) async throws(HubStorageError) -> RecordState {
        try use { state, _ in state.load(keys) }
    }

    package func records(
        in list: RecordList, _ range: RecordRange, limit: PageLimit
    ) async throws(HubStorageError) -> RecordPage {
        try use { state, _ in state.page(of: list, range, limit: limit) }
    }

    package func changeRecords<Value: Sendable>(
        loading keys: RecordKeys, _ decide: @escaping @Sendable (RecordState) -> RecordDecision<Value>
    ) async throws(HubStorageError) -> Value {
        try use { state, _ in
            let decision = decide(state.load(keys))
            state.store(decision.changes)
            return decision.value
        }
    }
}

// MARK: - Messages

extension MemoryHubStorage {
    package func message(_ id: MessageID, for reader: Int64) async throws(HubStorageError) -> MessageLookUp {
        try use { state, _ in
            guard let message = state.messages[id] else { return .unknown }
            return state.shown(message, for: reader).map(MessageLookUp.found) ?? .deleted(in: message.channel)
        }
    }

    package func page(
        of channel: ChannelID, _ range: MessageRange, matching filter: MessageFilter, includesDeleted: Bool,
        limit: PageLimit, for reader: Int64
    ) async throws(HubStorageError) -> MessagePage {
        try use { state, opening throws(HubStorageError) in
            let cursor = try Self.cursor(opening)
            return state.page(
                of: channel, range, matching: filter, includesDeleted: includesDeleted, limit: limit, for: reader,
                cursor: cursor)
        }
    }

    package func changes(
        of channel: ChannelID, _ query: ChangesQuery, limit: PageLimit, for reader: Int64
    ) async throws(HubStorageError) -> ChannelChanges {
        try use { state, opening throws(HubStorageError) in
            let cursor = try Self.cursor(opening)
            return state.changes(of: channel, query, limit: limit, for: reader, cursor: cursor)
        }
    }
}

// MARK: - Histories and deliveries

extension MemoryHubStorage {
    package var opening: HubOpening? { guarded.withLock { $0.opening } }

    package func beginOpening(_ id: [UInt8]) async throws(HubStorageError) {
        try use { state, opening in opening = state.beginOpening(id) }
    }

    package func lastCommit(ofOpening id: [UInt8]) async throws(HubStorageError) -> Int64? {
        try use { state, _ in state.openings.first { $0.id == id }?.lastCommit }
    }

    package func beginHistory(
        _ id: [UInt8], above floor: Int64, after present: [UInt8], at time: Timestamp
    ) async throws(HubStorageError) -> Bool {
        try use { state, opening throws(HubStorageError) in
            guard opening != nil, state.history == present else { return false }
            try state.beginHistory(id, above: floor)
            opening?.history = id
            opening?.floor = state.floor
            return true
        }
    }

    package func marks(of outbox: OutboxKey) async throws(HubStorageError) -> [String: LaneMark] {
        try use { state, _ in state.marks(of: outbox) }
    }

    package func transact<Value: Sendable>(
        loading keys: DeliveryKeys, _ decide: @escaping @Sendable (DeliveryState) -> DeliveryDecision<Value>
    ) async throws(HubStorageError) -> Value {
        try use { state, opening throws(HubStorageError) in
            guard opening != nil else { throw .recovering(path: Self.path) }
            let decision = decide(state.load(keys))
            if !decision.changes.isEmpty {
                state.store(decision.changes)
                opening?.lastCommit = state.lastCommit
            }
            return decision.value
        }
    }
}

// MARK: - Events

extension MemoryHubStorage {
    package func logEnd() async throws(HubStorageError) -> LogCursor {
        try use(isActivity: false) { state, opening throws(HubStorageError) in
            guard let opening else { throw .recovering(path: Self.path) }
            return state.logEnd(of: opening)
        }
    }

    package func log(_ queries: [LogQuery]) async throws(HubStorageError) -> [LogReading] {
        try use(isActivity: false) { state, opening throws(HubStorageError) in
            guard let opening else { throw .recovering(path: Self.path) }
            return queries.map { state.log($0, opening) }
        }
    }

    package func changedTopics(
        after position: Int64, limit: Int
    ) async throws(HubStorageError) -> [LogTopic: Int64] {
        try use(isActivity: false) { state, _ in
            let sorted = state.log.topics.filter { $0.value > position }.sorted { $0.value < $1.value }
            return Dictionary(sorted.prefix(limit).map { ($0.key, $0.value) }) { $1 }
        }
    }

    package func trimLog(_ retention: LogRetention, at now: Timestamp) async throws(HubStorageError) {
        try use { state, _ in state.log.trim(retention, at: now) }
    }
}
