/// The hub's storage: accounts, records, messages, the lanes of outboxes, and the histories of all of it.
///
/// Invariants after every commit, whichever process or machine ended at any time:
///
/// 1. A message id is stored once, under the account that first used it, for ever; a deleted one without its content.
/// 2. The positions of a channel ascend up to its last position, in the order of acceptance, each assigned once:
///   1, 2, 3 … in the first history, and from the floor of the history in a later one.
/// 3. A lane's mark moves in the same transaction as the operations applied to it: nothing at or below the mark is
///   applied any more, and everything that was confirmed as accepted is stored.
/// 4. An outbox's epoch never decreases.
/// 5. No secret that grants access is stored: of a token there is only the SHA-256. The key of the hub's own seals can
///   prove no more than that data was lost.
/// 6. Commits are numbered in ascending order; the number of a confirmed commit is never assigned to another one.
/// 7. A record and its entries in lists change in the same transaction, together with the messages that caused it. A
///   deleted record keeps its row with its version, and is in no list.
/// 8. Every change of a message or a record is in the log in the same transaction, until it is dropped for its age.
/// 9. A message is attached to a blob from the transaction that accepts it to the one that deletes it; a blob that is
///   attached to a message is not removed.
///
/// For implementers:
///
/// - **Transactions.** Each writing call is one transaction, which is durable when the call returns: it survives the
///   loss of power. Transactions are serialized. A reading call sees the state between two of them, and every
///   transaction that was confirmed before the call began.
/// - **Errors.** After `outcomeUnknown` the transaction may be stored or not; after every other error nothing of it is.
///   A storage that failed reports `recovering` until its content is verified to be what is durable, and recovers by
///   itself. The errors of ``HubStorageError`` that depend on the content are documented with each call.
/// - **Waiting.** No call waits for a lock, or for another process, longer than some seconds; it then throws `busy`.
///   Look-ups of tokens do not wait for other reads. A call is not undone when its task is cancelled.
/// - **Lifecycle.** A storage is ready when it is created. Setup commands call it without an opening (see
///   ``HistoryStorage``), also while a hub serves. After `close()` every call throws.
///
/// Every call may come from any task, concurrently with others. `HubStorageConformance` has a rule for each promise.
package protocol HubStorage: AccountStorage, RecordStorage, MessageStorage, HistoryStorage, DeliveryStorage,
    EventStorage, MediaStorage
{
    /// Whether calls can succeed; false from a failure of the storage until it has been verified, and after `close()`.
    var isHealthy: Bool { get }

    /// The number of calls so far, without those that clients repeat for as long as they are connected: looks at tokens
    /// and at the log. Unchanged over an interval in which the storage was idle.
    var activity: Int { get }

    /// Does the housekeeping that an idle storage needs, and releases memory.
    ///
    /// - Returns: false when something was in the way; the caller tries again later.
    func rest() async -> Bool

    /// Releases all resources; later calls throw.
    func close()
}
