public import CausewayModels

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The rows of a store: reading and writing single rows of the current account, with no knowledge of what a
/// ``Mutation`` means. A ``RowStore`` applies the mutations to them.
///
/// A call belongs to one commit, which either takes effect as a whole or not at all; the adapter discards everything if
/// a call throws. What was written is read by the next call. Rows of other accounts are neither returned nor changed.
public protocol StoreRows: ItemRows, ChainRows, AccountRows, DeletionRows, RecordRows {}

/// The messages and the operations, and with them the counts (``StoreCounts``), which follow each write.
public protocol ItemRows {
    /// The error of the layer below; `Never` for rows in memory.
    associatedtype Failure: Error

    /// The item with this id; `nil` if there is none.
    func item(_ id: OperationID) throws(Failure) -> ItemRow?

    /// Adds an item.
    ///
    /// - Parameter content: the coded content of the item.
    /// - Precondition: no item has its id. Rows that detect one by their index throw instead.
    mutating func insert(_ item: StoredItem, content: Data) throws(Failure)

    /// Adds an item in any state of its life, with every value that it has.
    ///
    /// - Parameter content: the coded content of the item.
    /// - Precondition: no item has its id. Rows that detect one by their index throw instead.
    mutating func restore(_ item: StoredItem, content: Data) throws(Failure)

    /// Replaces an item by its next state, which has the same id and the same ordinal.
    ///
    /// - Parameter content: the coded form of a content that may be new; `nil` if it is not at hand, in which case a
    ///   new content is coded here.
    /// - Returns: the size of the coded content.
    mutating func update(_ old: ItemRow, to item: StoredItem, content: Data?) throws(Failure) -> Int

    /// Removes an item.
    mutating func remove(_ old: ItemRow) throws(Failure)

    /// Called after items were removed to save room: gives back some of it, at a bounded cost. By default rows leave
    /// that to other means.
    mutating func releaseRoom() throws(Failure)

    /// The operations that change a message, in any state, by ascending ordinal.
    func operations(on id: MessageID) throws(Failure) -> [QueuedOperation]

    /// The items parked for a message, by ascending ordinal. Constant cost if there are none.
    func parked(for id: MessageID) throws(Failure) -> [ItemRow]

    /// True if something in the outbox refers to the message: an operation on it, or an undelivered reply. May be true
    /// without reason, never false. Constant cost.
    func mayBeReferenced(_ id: MessageID) throws(Failure) -> Bool

    /// The pending item with this lane sequence; `nil` if there is none.
    func pendingItem(at sequence: Int64) throws(Failure) -> ItemRow?

    /// The first items of a part of the store, in its order, with keys above `key`: as many as the adapter reads at
    /// once, and none at the end. Cost: linear in their number.
    func page(of part: ItemPart, after key: Int64) throws(Failure) -> [ItemRow]
}

extension ItemRows {
    /// Default for rows that give back room by other means.
    public mutating func releaseRoom() {}
}

/// A part of the messages and operations of an account, in an order of its own.
public enum ItemPart: Sendable, Hashable {
    /// Everything that is neither `synced` nor `error`, parked items included, in the order of creation.
    case pending
    /// Everything in state `error`, in the order of creation.
    case failed
    /// Every message in state `error` whose failure pauses its lane, in the order of creation.
    case pausing
    /// Every message that the server has, in the order of its arrival here.
    case synced
    /// Everything in this state, which is `uploading` or `syncing`, by ascending lane sequence.
    case underWay(SyncState)

    /// The number by which the part is ordered.
    public func key(of item: StoredItem) -> Int64 {
        switch self {
        case .pending, .failed, .pausing, .synced: item.ordinal
        case .underWay: item.laneSequence
        }
    }
}

/// The chains of the lanes.
public protocol ChainRows {
    /// The error of the layer below; that of ``ItemRows``.
    associatedtype Failure: Error

    /// The next number to assign, for ordinals, sequences and deletions alike; only ever increased.
    var nextSequence: Int64 { get set }

    /// The links of all lanes as in ``OutboxSnapshot/entries``. Cost: linear in the outbox.
    func entries() throws(Failure) -> [OutboxEntry]

    /// The control entry at a sequence; `nil` if there is none.
    func marker(at sequence: Int64) throws(Failure) -> ChainMarker?

    /// Stores the control entry at its sequence, replacing an existing one; `nil` removes it.
    mutating func setMarker(_ marker: ChainMarker?, at sequence: Int64) throws(Failure)

    /// Stores the highest sequence that was transmitted in a lane, even if it is lower than before.
    mutating func setLastTransmitted(_ lane: LaneID, _ sequence: Int64) throws(Failure)

    /// Removes all control entries, and what was last transmitted in each lane.
    mutating func removeChains() throws(Failure)
}

extension ChainRows {
    /// Assigns the next number.
    package mutating func takeSequence() -> Int64 {
        defer { nextSequence += 1 }
        return nextSequence
    }
}

/// The current account: its session and its outbox.
public protocol AccountRows {
    /// The error of the layer below; that of ``ItemRows``.
    associatedtype Failure: Error

    /// The current account; `nil` before the first session.
    var account: Account? { get }

    /// Makes another account the current one; its rows are those that it had when it was last current.
    ///
    /// An account without a name takes the given one and keeps its rows. A new account gets an outbox with the given
    /// id. Epoch, history and openings of ``outbox`` are then those of that account's last visit, except what is common
    /// to all accounts.
    mutating func enter(_ account: Account, newOutboxID: OutboxID) throws(Failure)

    /// Removes every row of the current account: items, chains, past deletions, records. Its outbox is left as it is.
    /// Cost: linear in their number.
    mutating func eraseAccount() throws(Failure)

    /// The session that was saved last; `nil` if there never was one, or it cannot be read.
    func session() throws(Failure) -> Session?

    /// Stores the session: the one that was saved last, for all accounts.
    mutating func setSession(_ session: Session) throws(Failure)

    /// The data of the current account's outbox.
    var outbox: OutboxRecord { get }

    /// Writes only what differs from ``outbox``.
    mutating func setOutbox(_ outbox: OutboxRecord) throws(Failure)
}

/// Past deletions.
public protocol DeletionRows {
    /// The error of the layer below; that of ``ItemRows``.
    associatedtype Failure: Error

    /// True if one of the recorded deletions is of this message.
    func hasDeletion(of id: MessageID) throws(Failure) -> Bool

    /// Adds a deletion, and removes the oldest one if there are more than `limit`.
    mutating func insert(_ action: DeleteAction, keeping limit: Int) throws(Failure)
}
