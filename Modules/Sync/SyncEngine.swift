package import CausewayModels
package import CausewayOutbox
package import CausewayRuntime
package import CausewayStorage
package import CausewayTransport
import DequeModule
import Synchronization

/// Runs the outbox: performs its actions and feeds back what happened.
///
/// Everything goes through one inbox and is dealt with one at a time, in order: events from the network and the
/// clock, and what people ask for. While an action of one input waits for the disk, no other input is looked at; so
/// the outbox machine and the store never disagree about what happened first. Network calls run beside it and come
/// back as events.
///
/// The engine decides nothing about order, retry or deletion: see `Outbox`.
package actor SyncEngine {
    /// What waits to be dealt with.
    enum Input {
        case event(OutboxEvent)
        case work(@Sendable (isolated SyncEngine) async -> Void)
    }

    let store: any Store
    let runtime: any Runtime
    let configuration: OutboxConfiguration
    let ordering: OrderingPolicy
    let feed = FeedInbox()
    private let onOccasion: @Sendable (SyncOccasion) -> Void

    var outbox: Outbox
    package internal(set) var session: Session? {
        didSet { shownSession.withLock { $0 = session } }
    }
    /// The session for those who need not wait for their turn.
    private nonisolated let shownSession = Mutex<Session?>(nil)
    var transport: (any Transport)? {
        didSet { outbox.configuration = configuration.within(transport?.capabilities) }
    }
    var serverName: String?
    /// The last history that the server named, and the last of them that is in the store.
    var history: ServerHistory?
    var keptHistory: ServerHistory?
    /// Why a commit is being tried again; everything else waits for it meanwhile.
    var storeProblem: StoreError?
    var deliveredCount = 0
    /// What happened in this run, oldest first.
    var notices: [SyncNotice] = []
    var isClosed = false
    /// True when the end came before something that the outbox had decided was written down: the outbox knows more than
    /// the store from then on, and nothing more is decided.
    var isAheadOfStore = false
    /// Calls under way, by round; the probe has its own.
    var deliveries: [Int: RuntimeTask] = [:]
    var probe: RuntimeTask?
    /// The number of the probe that counts; what an earlier one comes to is out of date.
    var probeNumber = 0
    /// Rounds whose calls the engine itself broke off, until they have ended.
    var brokenOff: Set<Int> = []
    /// True when a page could not be asked for since the server was reached last.
    var hasMissedPage = false
    /// True when one of them could not be asked for because the server could not be reached.
    var hasLostServer = false
    /// True when the server will be looked for because of that.
    var isPageProbePlanned = false
    /// True when pages that the server refused will be asked for again.
    var isRefusedPageDue = false
    /// Pages that are being read.
    var pagesUnderWay: [Int: PageUnderWay] = [:]
    var lastPage = 0
    var waiters = Waiters()

    private var inbox: Deque<Input> = []
    private var isDraining = false
    /// Who waits until everything in the inbox was dealt with.
    private var drainWaiters: [CheckedContinuation<Void, Never>] = []
    private var timer: (deadline: MonotonicTime, task: RuntimeTask)?
    private var subscription: StoreSubscription?

    /// - Parameters:
    ///   - snapshot: what ``Store/begin(_:)`` returned.
    ///   - onOccasion: called whenever it is worth while to ask the server for pages again. Must return quickly and
    ///     must not call the engine.
    package init(
        store: any Store, snapshot: OutboxSnapshot, runtime: any Runtime, configuration: OutboxConfiguration,
        ordering: OrderingPolicy, onOccasion: @escaping @Sendable (SyncOccasion) -> Void
    ) {
        self.store = store
        self.runtime = runtime
        self.configuration = configuration
        self.ordering = ordering
        self.onOccasion = onOccasion
        outbox = Outbox(snapshot, configuration: configuration, seed: runtime.random())
        history = snapshot.history
        keptHistory = snapshot.history
        if let loss = snapshot.loss {
            notices.append(SyncNotice(kind: .storeLostCommits, at: runtime.wallClock, detail: loss))
        }
    }

    /// Who is logged in, without waiting for the engine: creating a message stands behind nothing that it does.
    package nonisolated var currentSession: Session? { shownSession.withLock { $0 } }

    /// Listens to the store's feed, and goes on with a saved session when there is one.
    package func start(session: Session?, transport: (any Transport)?, attention: Attention?) {
        subscription = store.subscribe { [feed, weak self, runtime] commit in
            guard feed.push(commit) else { return }
            runtime.spawn { [weak self] in await self?.drain() }
        }
        self.session = session
        self.transport = transport
        guard session != nil else { return }
        submit(.event(.sessionBegan))
        if let attention { submit(.event(.probeFailed(.needsAttention(attention)))) }
    }

    /// Stops everything; nothing is sent afterwards. What is undelivered stays as it is, what came as an answer is
    /// still written down, and an attempt that is broken off here does not count.
    package func close() async {
        guard !isClosed else { return }
        isClosed = true
        _ = outbox.handle(.paused, at: moment)  // nothing more is to leave
        subscription?.cancel()
        timer?.task.cancel()
        await endCalls()
        if isDraining { await withCheckedContinuation { drainWaiters.append($0) } }
        await drain()
        await giveAttemptsBack()
        await transport?.close()
        waiters.failAll()
    }

    func tell(_ occasion: SyncOccasion) { onOccasion(occasion) }

    // MARK: - The inbox

    /// What was not dealt with.
    var waitingInputs: Int { inbox.count + feed.count }

    func submit(_ input: Input) {
        guard !isClosed else { return }
        inbox.append(input)
        guard !isDraining else { return }
        runtime.spawn { await self.drain() }
    }

    /// Deals with all that waits, one at a time; returns at once when that is being done already.
    func drain() async {
        guard !isDraining else { return }
        isDraining = true
        await takeFeed()
        while let input = inbox.popFirst() {
            switch input {
            case .event(let event):
                if !isClosed { await perform(outbox.handle(event, at: moment)) }
            // What was asked for is answered even after the end.
            case .work(let work): await work(self)
            }
            await takeFeed()
            setTimer()
        }
        isDraining = false
        for waiter in drainWaiters { waiter.resume() }
        drainWaiters = []
        setTimer()
        if !isClosed, feed.await(outbox.canUseNews) { await drain() }
    }

    /// Takes in what the store has brought while nobody was told, so that what is said of the outbox is complete.
    func catchUp() async {
        if !feed.isEmpty { await drain() }
    }

    /// What the store took in comes before anything that was asked for after it.
    func takeFeed() async {
        while !isClosed {
            if feed.takeReset() {
                await perform(outbox.handle(.feedReset, at: moment))
                continue
            }
            let entries = feed.take()
            guard !entries.isEmpty else { return }
            await perform(outbox.handle(.enqueued(entries), at: moment))
        }
    }

    var moment: Moment { Moment(now: runtime.now, wall: runtime.wallClock) }

    private func setTimer() {
        guard let deadline = outbox.nextDeadline, !isClosed else {
            timer?.task.cancel()
            timer = nil
            return
        }
        if let timer, timer.deadline == deadline { return }
        timer?.task.cancel()
        let task = runtime.spawn { [runtime, weak self] in
            await runtime.sleep(until: deadline)
            await self?.timerFired(deadline)
        }
        timer = (deadline, task)
    }

    private func timerFired(_ deadline: MonotonicTime) {
        guard timer?.deadline == deadline else { return }
        timer = nil
        submit(.event(.deadline))
    }
}
