import CausewayModels
import CausewayStorage

/// Numbers of the store that are kept in memory beside the disk, so that no query has to count.
///
/// A value: a commit works on a copy, which is adopted once the disk has confirmed. Copies are cheap: they share the
/// parts that hold references until one of them is changed, and the creation of most messages changes none.
struct CommitCounters: Sendable {
    private struct Shared: Sendable {
        var accountName: Account?
        var outbox = OutboxRecord()
        var awaited = ReferenceFilter()
        var referenced = ReferenceFilter()
    }

    private var shared = CopyOnWrite(Shared())
    /// The row of the current account, to whose records all counts below apply.
    var account = AccountRow.first
    /// The next number to assign, for ordinals, sequences and deletions alike.
    var nextSequence: Int64 = 1
    /// The next number as stored on disk: no number at or above it may be committed before a higher value is stored.
    var reservedSequence: Int64 = 0
    var counts = StoreCounts()
    /// The number of operations that create no message: without any, none is looked up.
    var operations = 0
    /// The number of recorded deletions.
    var deletions = 0
    var hasStarted = false
    /// The number of the last commit of this run.
    var version: Int64 = 0

    /// The current account; `nil` before the first session.
    var accountName: Account? {
        _read { yield shared.value.accountName }
        _modify { yield &shared.value.accountName }
    }

    var outbox: OutboxRecord {
        _read { yield shared.value.outbox }
        _modify { yield &shared.value.outbox }
    }

    /// The messages that others are parked for.
    var awaited: ReferenceFilter {
        _read { yield shared.value.awaited }
        _modify { yield &shared.value.awaited }
    }

    /// The messages that anything in the outbox refers to.
    var referenced: ReferenceFilter {
        _read { yield shared.value.referenced }
        _modify { yield &shared.value.referenced }
    }

    /// Updates the counts for one item that was inserted, removed or changed.
    mutating func count(_ old: StoredItem?, _ oldBytes: Int, _ new: StoredItem?, _ newBytes: Int) {
        if let old {
            counts.count(old.syncState, createsMessage: old.createsMessage, bytes: oldBytes, times: -1)
            if !old.createsMessage { operations -= 1 }
            if old.isParked, let related = old.related { awaited.add(related, times: -1) }
            if let reference = old.reference { referenced.add(reference, times: -1) }
        }
        if let new {
            counts.count(new.syncState, createsMessage: new.createsMessage, bytes: newBytes)
            if !new.createsMessage { operations += 1 }
            if new.isParked, let related = new.related { awaited.add(related) }
            if let reference = new.reference { referenced.add(reference) }
        }
    }
}

/// The number of an account in the tables; see ``StoreSchema``.
struct AccountRow: Sendable, Hashable {
    var id: Int64

    /// The first account of a store; without a name until the first session.
    static let first = AccountRow(id: 1)
}
