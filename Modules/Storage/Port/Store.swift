public import CausewayModels
import Synchronization

/// The storage port: holds messages, the outbox and the session.
///
/// Guarantees of every implementation, which `StorageConformance` checks:
///
/// 1. **One commit, all or nothing.** ``enqueue(_:)`` and ``commit(_:durability:)`` take effect as a whole or not at
///    all. With `durability == full` of both store and call they return only after the disk confirmed.
/// 2. **One sequence.** Ordinals and lane sequences come from one counter that only grows, survives restarts and never
///    assigns a number twice, not even after a deletion. A lane may skip numbers; it never goes back.
/// 3. **The feed is the commit order.** Every subscriber is called for every commit, in commit order, before the call
///    that caused it returns, and never concurrently. `before` and `after` are exact, and
///    ``StoreCommit/appended`` names every link that a commit leaves at the tail of a lane.
/// 4. **Writers are not serialised by their callers.** Any number of tasks may call at once; implementations commit
///    waiting calls together (group commit), in the order of arrival.
/// 5. **Errors lose nothing.** After an error the store is unchanged. After ``StoreError/full(detail:)`` it resumes
///    automatically once there is room. After a failed sync it acknowledges nothing until it was reopened and verified.
/// 6. **Accounts are separate.** All stored data belongs to an account (``Session/account``): messages, lanes, control
///    entries, doubts, past deletions, and the outbox with its id. The store works on one account at a time, the
///    *current* one: the account of the session that was saved last, ended or not. Queries, counts and the feed cover
///    only its records, and mutations reach no others; the records of other accounts are unchanged until their account
///    is current again. Before the first session there is an account without a name, which the first session's account
///    takes over. A new account gets an outbox of its own, whose id is that of its first session. Numbers (ordinals,
///    sequences) and epochs are common to all accounts.
/// 7. **One owner.** Only one process has a store open for writing; a second one gets ``StoreError/locked(by:path:)``.
///
/// Lifecycle: create it, call ``start(_:)`` exactly once before anything else except ``subscribe(_:)``, then use it
/// until ``close()``. ``start(_:)`` is the first commit of the run, and the feed reports it as a reset. A call that
/// changes nothing is a commit, too.
public protocol Store: RecordStore {
    /// The files of media messages, opened and closed with the store; `nil` for a store without them, on which media
    /// messages cannot be created.
    var blobs: (any BlobStore)? { get }

    /// The downloaded files of others' messages, closed with the store; `nil` for a store without them.
    var received: (any ReceivedFiles)? { get }

    /// Starts a new epoch and applies the restart policy, in the same commit, to the messages that the previous run
    /// left undelivered.
    ///
    /// Under ``RestartPolicy/fail`` every undelivered message that is not yet `error` becomes `error` with
    /// `opening.failure`. A message that had been transmitted, or that another copy of the store has
    /// (``Lineage/sharedBelow``), becomes in doubt and leaves a ``ChainMarker`` of kind `fence` with its sequence, or
    /// with a new one if it had none; a message that was in doubt before it was resent remains in doubt. A parked
    /// operation remains parked. Under ``RestartPolicy/resume`` messages in `syncing` or `uploading` return to
    /// `created` and keep their sequences. Cost: linear in the outbox, once.
    func start(_ opening: StartOptions) async throws(StoreError) -> OutboxSnapshot

    /// Enqueues a message: assigns ordinal and lane sequence, and commits.
    ///
    /// Throws ``StoreError/otherAccount(_:)`` for a draft of another account than the current one, which changed while
    /// the draft was made, ``StoreError/outboxFull(messages:bytes:)`` beyond ``Limits/outboxMessagesMax`` or
    /// ``Limits/outboxBytesMax``, and ``StoreError/duplicate(_:)`` if the id already exists.
    ///
    /// A message that depends on another one is *parked*, in the same commit, while that one is here and undelivered:
    /// it gets no sequence in its lane (``Message/laneSequence`` 0) until that one is on the server. A reply to a
    /// message that precedes it in the same lane need not wait. An operation is displayed in its target at once
    /// (``Message/displayed``).
    func enqueue(_ draft: MessageDraft) async throws(StoreError) -> Message

    /// Applies all mutations in order, in one commit. A mutation of a message that does not exist does nothing.
    ///
    /// - Parameter durability: ``Durability/normal`` for what can be had from the server again: the call returns when
    ///   queries see the commit, whatever the durability of the store, and a power loss may undo it until the disk has
    ///   confirmed a later commit. It undoes no earlier commit: the stored state is that after some commit, always.
    func commit(_ mutations: [Mutation], durability: Durability) async throws(StoreError)

    /// The message with this id; `nil` if there is none. Cost: one index lookup.
    func message(_ id: MessageID) async throws(StoreError) -> Message?

    /// The existing messages with these ids, in the given order.
    func messages(_ ids: [MessageID]) async throws(StoreError) -> [Message]

    /// The operation with this id; `nil` if there is none, or the server has confirmed it. Cost: one index lookup.
    func operation(_ id: OperationID) async throws(StoreError) -> QueuedOperation?

    /// The operations in the outbox with these ids, in the given order.
    func operations(_ ids: [OperationID]) async throws(StoreError) -> [QueuedOperation]

    /// All operations that refer to this message: changes of it, and the creations of replies that are parked for it,
    /// in the order in which they were made. Cost: linear in their number.
    func dependants(of id: MessageID) async throws(StoreError) -> [QueuedOperation]

    /// One page of the outbox. Cost: linear in the size of the page, regardless of its position.
    func operations(_ query: OperationQuery) async throws(StoreError) -> OperationPage

    /// One page of a query. Cost: linear in the size of the page, regardless of its position.
    func page(_ query: MessageQuery) async throws(StoreError) -> MessagePage

    /// The channel that follows another one among those of which the store has messages, in an order of the store's
    /// own; the first one after `nil`. For retention: counts only messages that the server has.
    ///
    /// - Parameter count: the number of the newest messages to keep, at least 1.
    /// - Returns: `nil` after the last channel. Cost: linear in `count` at most, and no writer waits for it.
    func nextChannel(after channel: ChannelID?, keeping count: Int) async throws(StoreError) -> RetainedPart?

    /// The number of operations in each state except `synced`. Cost: constant.
    func counts() async throws(StoreError) -> StoreCounts

    /// Past deletions, newest first, below `before` if given; 1 to ``Limits/pageSizeMax`` of them.
    func deleteActions(before: Int64?, limit: Int) async throws(StoreError) -> [DeleteAction]

    /// The session that was saved last, ended or not; `nil` if there never was one.
    func session() async throws(StoreError) -> Session?

    /// The current outbox. Cost: linear in the outbox.
    func outbox() async throws(StoreError) -> OutboxSnapshot

    /// Calls `subscriber` for every commit from now on, in commit order, on the committing thread.
    ///
    /// The subscriber must return quickly and must not call the store. It is released with the subscription.
    func subscribe(_ subscriber: @escaping @Sendable (StoreCommit) -> Void) -> StoreSubscription

    /// The number of a commit up to which the feed has reported, no lower than that of any commit that a call which
    /// ended before this one can have observed.
    ///
    /// A caller that reads and then awaits this call has therefore received every change that its read can reflect.
    /// Waits for a commit that is under way, never for one that begins later. Cost: none, unless a commit is under way.
    func settledVersion() async throws(StoreError) -> Int64

    /// Completes waiting calls, then closes. All later calls throw ``StoreError/closed``. May be called twice.
    func close() async
}

extension Store {
    /// Applies all mutations in order, in one commit with the durability of the store.
    public func commit(_ mutations: [Mutation]) async throws(StoreError) {
        try await commit(mutations, durability: .full)
    }

    /// Default for stores without files.
    public var blobs: (any BlobStore)? { nil }

    /// Default for stores without downloaded files.
    public var received: (any ReceivedFiles)? { nil }

    /// Default for stores that keep all messages, whatever ``RetentionPolicy`` is asked for.
    public func nextChannel(after channel: ChannelID?, keeping count: Int) async throws(StoreError) -> RetainedPart? {
        nil
    }

    /// Default for stores without a better way: an empty commit is published after everything that was committed before
    /// it.
    public func settledVersion() async throws(StoreError) -> Int64 {
        let settled = Mutex<Int64>(0)
        let subscription = subscribe { commit in settled.withLock { $0 = commit.version } }
        defer { subscription.cancel() }
        try await commit([])
        return settled.withLock { $0 }
    }
}
