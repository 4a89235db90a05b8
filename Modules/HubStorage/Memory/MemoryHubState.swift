internal import CausewayHubRules
internal import CausewayModels

/// The content of a ``MemoryHubStorage``.
struct MemoryHubState: Sendable {
    struct StoredAccount: Sendable {
        var account: HubAccount
        /// `nil` for a removed account.
        var tokenDigest: [UInt8]?
    }

    struct Opening: Sendable {
        var id: [UInt8]
        /// `nil` until it has ended.
        var lastCommit: Int64?
        /// The last position of the log; `nil` until it has ended.
        var lastPosition: Int64?
    }

    let hub: [UInt8]
    let sealKey: [UInt8]
    var history: [UInt8]
    var floor: Int64 = 0
    var openings: [Opening] = []
    var lastCommit: Int64 = 0
    var accounts: [UserID: StoredAccount] = [:]
    var users: [Int64: UserID] = [:]
    /// The last positions of channels that have had messages.
    var channels: [ChannelID: Int64] = [:]
    var records: [RecordKey: RecordRow] = [:]
    /// The lists of the records that are not deleted.
    var entries: [RecordKey: [ListEntry]] = [:]
    var writes: [MessageID: DeliveryChanges.AcceptedWrite] = [:]
    var messages: [MessageID: DeliveryChanges.AcceptedMessage] = [:]
    var operations: [MessageID: DeliveryChanges.AcceptedOperation] = [:]
    var reactions: [MessageID: Set<Reaction>] = [:]
    var outboxes: [OutboxKey: DeliveryState.Outbox] = [:]
    var lanes: [LaneKey: DeliveryState.Lane] = [:]
    var barred: Set<OpeningKey> = []
    /// By account, in the order in which they were noted.
    var earlyDeletions: [Int64: [MessageID]] = [:]
    var log = MemoryLog()
    var media = MemoryMedia()

    init(hub: [UInt8], sealKey: [UInt8], history: [UInt8]) {
        self.hub = hub
        self.sealKey = sealKey
        self.history = history
    }

    // MARK: - Accounts

    func account(tokenDigest: [UInt8]) -> HubAccount? {
        accounts.values.first { $0.tokenDigest == tokenDigest }?.account
    }

    mutating func addAccount(_ user: UserID, _ digest: [UInt8], at time: Timestamp) throws(HubStorageError) {
        guard accounts[user] == nil else { throw .taken(kind: "account", name: user.value) }
        guard accounts.count < HubStorageLimits.accountsMax else {
            throw .tooMany(kind: "accounts", limit: HubStorageLimits.accountsMax)
        }
        let account = HubAccount(number: Int64(accounts.count + 1), user: user, createdAt: time, removedAt: nil)
        accounts[user] = StoredAccount(account: account, tokenDigest: digest)
        users[account.number] = user
    }

    mutating func renewAccount(_ user: UserID, _ digest: [UInt8]) throws(HubStorageError) {
        guard let stored = accounts[user]?.account else { throw .unknownAccount(name: user.value) }
        let account = HubAccount(number: stored.number, user: user, createdAt: stored.createdAt, removedAt: nil)
        accounts[user] = StoredAccount(account: account, tokenDigest: digest)
    }

    mutating func removeAccount(_ user: UserID, at time: Timestamp) throws(HubStorageError) {
        guard let stored = accounts[user]?.account, stored.removedAt == nil else {
            throw .unknownAccount(name: user.value)
        }
        let account = HubAccount(number: stored.number, user: user, createdAt: stored.createdAt, removedAt: time)
        accounts[user] = StoredAccount(account: account, tokenDigest: nil)
    }

    // MARK: - Histories

    mutating func beginOpening(_ id: [UInt8]) -> HubOpening {
        for index in openings.indices where openings[index].lastCommit == nil {
            openings[index].lastCommit = lastCommit
            openings[index].lastPosition = log.last
        }
        openings.append(Opening(id: id, lastCommit: nil))
        openings.removeFirst(max(0, openings.count - HubStorageLimits.openingsKeptMax))
        return HubOpening(
            hub: hub, sealKey: sealKey, history: history, floor: floor, id: id, lastCommit: lastCommit)
    }

    mutating func beginHistory(_ id: [UInt8], above floor: Int64) throws(HubStorageError) {
        let highest = channels.values.max() ?? 0
        guard let next = HistoryRules.floor(above: max(floor, self.floor), highest) else {
            throw .tooMany(kind: "histories", limit: Int(Limits.positionMax >> 33))
        }
        history = id
        self.floor = next
        for id in channels.keys { channels[id] = next }
    }

    func marks(of outbox: OutboxKey) -> [String: LaneMark] {
        let own = lanes.filter { $0.key.outbox == outbox }.sorted { $0.value.commit > $1.value.commit }
        return Dictionary(
            own.prefix(HubStorageLimits.marksMax).map {
                ($0.key.lane.rawValue, LaneMark(mark: $0.value.mark, mover: $0.value.mover))
            }
        ) { first, _ in first }
    }
}
