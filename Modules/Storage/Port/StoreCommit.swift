public import CausewayModels

/// The changes of one commit.
public struct StoreCommit: Sendable, Equatable {
    /// Incremented by each commit of this run.
    public var version: Int64
    /// In the order in which they were made.
    public var changes: [RecordChange]
    /// The links that the commit added to the tails of lanes, in the order in which they were added: a message that was
    /// created, resent or released with a lane sequence, and a deletion that was appended.
    ///
    /// Each is listed as it was when it was added: never transmitted, without attempts. One that was renumbered later
    /// in the same commit is listed all the same; a message that the same commit removed is not. Control entries of
    /// other kinds come from the outbox machine itself and are not listed. Incomplete if ``isReset``, like ``changes``.
    public var appended: [OutboxEntry]
    /// True if more changed than is listed (for example when a session ended): subscribers must read their data again.
    public var isReset: Bool
    /// The channels of which delivered messages were dropped (``Mutation/prune(_:of:)``), each with the highest
    /// position among them: up to it the store may lack messages that the server has. Their removals are among
    /// ``changes``.
    public var pruned: [ChannelID: Int64]

    /// Creates a commit; by default one that appended and dropped nothing, and lists all its changes.
    public init(
        version: Int64, changes: [RecordChange], appended: [OutboxEntry] = [], isReset: Bool = false,
        pruned: [ChannelID: Int64] = [:]
    ) {
        self.version = version
        self.changes = changes
        self.appended = appended
        self.isReset = isReset
        self.pruned = pruned
    }
}

/// One record before and after a commit.
///
/// Most changes are of messages, and each is copied several times on its way to the subscribers: so the rarer cases,
/// which are larger, lie on the heap.
public enum RecordChange: Sendable, Equatable {
    /// `before` is `nil` for an insertion, `after` for a deletion. `bytes` is the size of the coded content.
    case message(before: Message?, after: Message?, bytes: Int)
    /// An operation that creates no message: an edit, a reaction. `bytes` is the size of its coded content.
    indirect case operation(before: QueuedOperation?, after: QueuedOperation?, bytes: Int)
    /// A link of a lane's chain that is not a message. `before` is `nil` for an insertion, `after` for a removal.
    indirect case marker(before: ChainMarker?, after: ChainMarker?)
    /// A record other than a message. `before` is `nil` for an insertion, `after` for a deletion.
    indirect case record(before: StoredRecord?, after: StoredRecord?)
    /// A deletion was recorded, with its sequence.
    indirect case deleteAction(DeleteAction)
    /// The session was saved: at a login, or at a logout, with its end.
    indirect case session(Session)
}

/// A subscription to the change feed. Ends with ``cancel()`` or when it is released.
public final class StoreSubscription: Sendable {
    private let onCancel: @Sendable () -> Void

    /// For implementers of ``Store``. `onCancel` may be called more than once.
    public init(onCancel: @escaping @Sendable () -> Void) { self.onCancel = onCancel }

    deinit { onCancel() }

    /// Cancels the subscription. No call begins after this returns. It waits for a call that is under way on another
    /// thread, so the caller must not hold a lock that the subscriber takes. From within the subscriber it returns at
    /// once.
    public func cancel() { onCancel() }
}
