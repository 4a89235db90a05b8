import CausewayModels
import CausewayStorage

/// One change of the index. Each has an inverse, so that a transaction is computed on the index itself, taken back, and
/// applied once the disk has confirmed it; recovery applies the same changes from the journal.
enum IndexChange {
    case item(account: Int, MessageID, ItemEntry?)
    case marker(account: Int, Int64, ChainMarker?)
    case lane(account: Int, LaneID, Int64?)
    /// All control entries and last sequences at once.
    case chains(account: Int, [Int64: ChainMarker], [LaneID: Int64])
    case account(Int, Account?, OutboxRecord)
    case common(StoreState)
    case counter(Int64)
    case record(account: Int, RecordIndex.Identity, RecordIndex.Entry?)
    case deletion(account: Int, Int64, DeletionIndex.Entry?)
}

/// The state that all accounts have in common, apart from the counter.
struct StoreState: Sendable, Equatable {
    /// The number of the current account.
    var current = 0
    var epoch: Int64 = 0
    var openedAt: Int64 = 0
    var sharedBelow: Int64 = 0
    /// The session that was saved last.
    var session: Session?
}

/// The whole store in memory: an index for each account, and what they have in common.
struct FileIndex {
    private(set) var accounts: [AccountIndex] = [AccountIndex()]
    private(set) var common = StoreState()
    /// The next number to assign, for ordinals, sequences and deletions alike.
    private(set) var nextSequence: Int64 = 1
    /// An estimate of the bytes in the journal that are still needed.
    private(set) var liveBytes: Int64 = 0

    init() {}

    var current: AccountIndex { _read { yield accounts[common.current] } }

    /// The number of an account; `nil` if the store has none of that name.
    func number(of account: Account) -> Int? { accounts.firstIndex { $0.account == account } }

    /// The number that a new account gets.
    var newAccountNumber: Int { accounts.indices.dropFirst().first { accounts[$0].account == nil } ?? accounts.count }

    /// Makes one change.
    ///
    /// - Returns: the change that takes it back.
    @discardableResult
    mutating func apply(_ change: IndexChange) -> IndexChange {
        switch change {
        case .item(let account, let id, let entry):
            let old = accounts[account].set(entry, for: id)
            liveBytes += (entry?.diskBytes ?? 0) - (old?.diskBytes ?? 0)
            return .item(account: account, id, old)
        case .marker(let account, let sequence, let marker):
            defer { accounts[account].markers[sequence] = marker }
            return .marker(account: account, sequence, accounts[account].markers[sequence])
        case .lane(let account, let lane, let sequence):
            defer { accounts[account].lastTransmitted[lane] = sequence }
            return .lane(account: account, lane, accounts[account].lastTransmitted[lane])
        case .chains(let account, let markers, let lanes):
            let old = IndexChange.chains(
                account: account, accounts[account].markers, accounts[account].lastTransmitted)
            accounts[account].markers = markers
            accounts[account].lastTransmitted = lanes
            return old
        case .account(let account, let name, let outbox):
            while accounts.count <= account { accounts.append(AccountIndex()) }
            defer {
                accounts[account].account = name
                accounts[account].outbox = outbox
            }
            return .account(account, accounts[account].account, accounts[account].outbox)
        case .common(let state):
            defer { common = state }
            return .common(common)
        case .counter(let next):
            defer { nextSequence = next }
            return .counter(nextSequence)
        case .record(let account, let identity, let entry):
            let old = accounts[account].records.set(entry, for: identity)
            liveBytes += Int64(entry?.location.length ?? 0) - Int64(old?.location.length ?? 0)
            return .record(account: account, identity, old)
        case .deletion(let account, let sequence, let entry):
            let old = accounts[account].deletions.set(entry, for: sequence)
            liveBytes += Int64(entry?.location.length ?? 0) - Int64(old?.location.length ?? 0)
            return .deletion(account: account, sequence, old)
        }
    }

    /// True if the change names an account that exists, or is to exist next.
    func admits(_ change: IndexChange) -> Bool {
        switch change {
        case .item(let account, _, _), .marker(let account, _, _), .lane(let account, _, _),
            .chains(let account, _, _), .record(let account, _, _), .deletion(let account, _, _):
            accounts.indices.contains(account)
        case .account(let account, _, _): (0...accounts.count).contains(account)
        case .common(let state): accounts.indices.contains(state.current)
        case .counter(let next): next >= nextSequence
        }
    }
}

/// Building the index from a snapshot, whose entries name channels by their numbers.
extension FileIndex {
    /// - Precondition: the account exists.
    mutating func addChannel(_ channel: ChannelID, to account: Int) { _ = accounts[account].number(channel) }

    /// Makes room for this many entries.
    ///
    /// - Precondition: the account exists.
    mutating func reserve(_ entries: Int, in account: Int) { accounts[account].reserve(entries) }

    /// Adds entries, without the messages that they depend on.
    ///
    /// - Returns: false if one of them cannot be right.
    /// - Precondition: the account exists.
    mutating func restore(_ entries: [ItemTable.Entry], in account: Int) -> Bool {
        for entry in entries { liveBytes += ItemEntry.diskBytes(length: entry.length, content: Int(entry.bytes)) }
        return accounts[account].restore(entries)
    }

    /// Adds the message that an item depends on.
    mutating func restore(_ related: MessageID, of id: MessageID, in account: Int) -> Bool {
        guard var entry = accounts[account].entry(of: id) else { return false }
        entry.related = related
        _ = accounts[account].set(entry, for: id)
        return true
    }

    /// Reads which messages the undelivered ones refer to. Cost: linear in the outbox, which is read.
    mutating func addRelations(_ reader: RecordReader) throws(StoreError) {
        for account in accounts.indices {
            for place in accounts[account].messages.undelivered.ascending(after: nil, limit: .max)
            where accounts[account].relations[place.slot] == nil {
                let entry = accounts[account].items[place.slot]
                guard let related = try reader.fields(of: entry)?.related else { continue }
                _ = restore(related, of: MessageID(entry.id), in: account)
            }
        }
    }
}
