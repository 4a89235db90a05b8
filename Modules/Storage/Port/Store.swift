public import CausewayModels
import Synchronization

/// Where messages, the outbox and the session are kept: the one port of storage.
///
/// What an implementation promises, and `StorageConformance` checks:
///
/// 1. **One commit, all or nothing.** ``enqueue(_:)`` and ``commit(_:)`` take effect as a whole or not at all.
///    With `durability == full` they return only after the disk confirmed.
/// 2. **One sequence.** Ordinals and lane sequences come from one counter that only grows, survives restarts and is
///    never handed out twice, not after a deletion either. A lane may skip numbers; it never goes back.
/// 3. **The feed is the commit order.** Every subscriber is called for every commit, in commit order, before the
///    call that caused it returns, and never concurrently. `before` and `after` are exact.
/// 4. **Writers are not serialised by their callers.** Any number of tasks may call at once; implementations commit
///    what waits together (group commit), in the order of arrival.
/// 5. **Errors lose nothing.** After an error the store is as it was. After ``StoreError/full(detail:)`` it goes on
///    by itself when there is room. After a failed sync it acknowledges nothing until it was reopened and verified.
/// 6. **Accounts are apart.** Everything that is stored belongs to an account (``Session/account``): messages, lanes,
///    control entries, doubts, past deletions, and the outbox with its id. The store works on one account at a time,
///    the *current* one: that of the session that was saved last, ended or not. Queries, counts and the feed show only
///    its records, and mutations reach no others; the records of other accounts stay as they are until they are
///    current again. Before the first session there is an account without a name, which the first session's account
///    takes over. An account that is new gets an outbox of its own, whose id is that of its first session. Numbers
///    (ordinals, sequences) and epochs are common to all accounts.
/// 7. **One owner.** Only one process has a store open for writing; a second one gets ``StoreError/owned(pid:path:)``.
///
/// Lifecycle: make it, call ``begin(_:)`` exactly once before anything else but ``subscribe(_:)``, then use it until
/// ``close()``. ``begin(_:)`` is the first commit of the run, and the feed reports it as a reset. A call that changes
/// nothing is a commit, too.
public protocol Store: Sendable {
    /// Begins a new epoch and settles, in the same commit, what the previous run left undelivered.
    ///
    /// Under ``RestartPolicy/fail`` every undelivered message that is not `error` yet becomes `error` with
    /// `opening.failure`; what had been transmitted, and what another copy of the store has (``Lineage/sharedBelow``),
    /// becomes in doubt and leaves a ``ControlEntry`` of kind `fence` with its sequence, or with a new one where it had
    /// none; what was in doubt before it was sent again stays so. A parked operation stays parked.
    /// Under ``RestartPolicy/resume`` messages in `syncing` or `uploading` go back to `created` and keep their
    /// sequences. Cost: linear in the outbox, once.
    func begin(_ opening: StoreOpening) async throws(StoreError) -> OutboxSnapshot

    /// Takes in a message: assigns ordinal and lane sequence, and commits.
    ///
    /// Throws ``StoreError/otherAccount(_:)`` for a draft of another account than the current one, which changed while
    /// the draft was made, ``StoreError/outboxFull(messages:bytes:)`` past ``Limits/outboxMessagesMax`` or
    /// ``Limits/outboxBytesMax``, and ``StoreError/duplicate(_:)`` when the id is there already.
    ///
    /// What cannot go without another message is *parked*, in the same commit, while that one is here and undelivered:
    /// it gets no place in its lane (``Message/laneSequence`` 0) before that one is on the server. A reply to a message
    /// that goes before it in the same lane need not wait. An operation shows in its message at once
    /// (``Message/face``).
    func enqueue(_ draft: MessageDraft) async throws(StoreError) -> Message

    /// Applies all mutations in order, in one commit. A mutation of a message that is not there does nothing.
    func commit(_ mutations: [Mutation]) async throws(StoreError)

    /// The message with this id; `nil` when there is none. Cost: one index look-up.
    func message(_ id: MessageID) async throws(StoreError) -> Message?

    /// The messages with these ids that are there, in the order asked for.
    func messages(_ ids: [MessageID]) async throws(StoreError) -> [Message]

    /// Everything here that is about this message and undelivered: operations on it, and replies that are parked for
    /// it, in the order of creation. Cost: as many as there are.
    func dependants(of id: MessageID) async throws(StoreError) -> [Message]

    /// One page of a query. Cost: the size of the page, wherever it lies.
    func page(_ query: MessageQuery) async throws(StoreError) -> MessagePage

    /// How many messages there are in each state but `synced`. Cost: constant.
    func counts() async throws(StoreError) -> StoreCounts

    /// Past deletions, newest first, below `before` when given; 1 to ``Limits/pageSizeMax`` of them.
    func deleteActions(before: Int64?, limit: Int) async throws(StoreError) -> [DeleteAction]

    /// The session that was saved last, ended or not; `nil` when there never was one.
    func session() async throws(StoreError) -> Session?

    /// What the outbox consists of now. Cost: linear in the outbox.
    func outbox() async throws(StoreError) -> OutboxSnapshot

    /// Calls `subscriber` for every commit from now on, in commit order, on the committing thread.
    ///
    /// The subscriber must return quickly and must not call the store. It is released with the subscription.
    func subscribe(_ subscriber: @escaping @Sendable (StoreCommit) -> Void) -> StoreSubscription

    /// The number of a commit up to which the feed has been told, no lower than that of any commit that a call can have
    /// seen which ended before this one.
    ///
    /// So whoever reads and then waits for this has heard of everything that the reading can hold. Waits for a commit
    /// that is under way, never for one that begins later. Cost: none, unless a commit is under way.
    func settledVersion() async throws(StoreError) -> Int64

    /// Finishes what waits, then closes. Everything afterwards throws ``StoreError/closed``. May be called twice.
    func close() async
}

extension Store {
    /// For stores that have no better way: an empty commit is told after everything that was committed before it.
    public func settledVersion() async throws(StoreError) -> Int64 {
        let settled = Mutex<Int64>(0)
        let subscription = subscribe { commit in settled.withLock { $0 = commit.version } }
        defer { subscription.cancel() }
        try await commit([])
        return settled.withLock { $0 }
    }
}
