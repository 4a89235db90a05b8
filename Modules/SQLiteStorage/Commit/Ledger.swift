import CausewayModels
import CausewayStorage

/// The numbers of the store that are kept in memory beside the disk, so that nothing has to be counted.
///
/// A value: a commit works on a copy, and the copy becomes the ledger when the disk has confirmed.
struct Ledger: Sendable {
    /// The row of the current account, whose records all the others count.
    var account = AccountRow.first
    /// The current account; `nil` before the first session.
    var accountName: Account?
    var outboxID: OutboxID?
    var epoch: Int64 = 0
    var lineage = Lineage()
    var history: ServerHistory?
    /// The next number to hand out, for ordinals, sequences and deletions alike.
    var nextSequence: Int64 = 1
    /// What the disk says is the next number: nothing at or above it may be committed before the disk says more.
    var reservedSequence: Int64 = 0
    var counts = StoreCounts()
    /// The messages that others wait for, which have no place in their lane yet.
    var awaited = AwaitedMessages()
    /// How many past deletions are kept.
    var deletions = 0
    var hasBegun = false
    /// The number of the last commit of this run.
    var version: Int64 = 0

    /// One message came, went, or changed.
    mutating func count(_ old: Message?, _ oldBytes: Int, _ new: Message?, _ newBytes: Int) {
        if let old {
            counts.count(old.syncState, bytes: oldBytes, times: -1)
            if old.isParked, let related = old.role.related { awaited.add(related, times: -1) }
        }
        if let new {
            counts.count(new.syncState, bytes: newBytes)
            if new.isParked, let related = new.role.related { awaited.add(related) }
        }
    }

    mutating func takeSequence() -> Int64 {
        defer { nextSequence += 1 }
        return nextSequence
    }
}

/// The number of an account in the tables; see ``StoreSchema``.
struct AccountRow: Sendable, Hashable {
    var id: Int64

    /// The account that a store begins with; without a name until the first session.
    static let first = AccountRow(id: 1)
}
