package import CausewayModels
import CausewayOutbox
package import CausewayRuntime
package import CausewayStorage
package import CausewayTransport
import DequeModule
import Synchronization

/// The driver of the outbox: performs its actions and reports their results to it.
///
/// All input goes through one inbox and is processed one item at a time, in order: events from the network and the
/// clock, and user requests. While an action of one input waits for the disk, no other input is processed, so the
/// outbox machine and the store never disagree about the order of events. Network calls run in parallel and return as
/// events.
///
/// The engine makes no decision about order, retry or deletion: see `Outbox`.
package actor SyncEngine {
    /// An item of the inbox.
    enum Input {
        case event(OutboxEvent)
        case work(@Sendable (isolated SyncEngine) async -> Void)
    }

    let store: any Store
    let runtime: any Runtime
    let configuration: OutboxConfiguration
    let ordering: OrderingPolicy
    let feed = FeedInbox()
    private let onRefreshTrigger: @Sendable (RefreshTrigger) -> Void

    var outbox: Outbox
    package internal(set) var session: Session? {
        didSet { shown.withLock { $0.session = session } }
    }
    /// Copies for callers that need not wait for queued work.
    private nonisolated let shown = Mutex(
        (session: Session?.none, capabilities: TransportCapabilities?.none, media: (any MediaStore)?.none))
    /// The number of transports so far: each login has its own.
    private(set) var transportNumber = 0
    var transport: (any Transport)? {
        didSet {
            transportNumber += 1
            let capabilities = transport?.capabilities
            outbox.configuration = configuration.within(capabilities)
            let media = transport?.media
            shown.withLock { shown in
                shown.capabilities = capabilities
                shown.media = media
            }
        }
    }
    var serverName: String?
    /// The last history that the server named, and the last one that is stored.
    var history: ServerHistory?
    var keptHistory: ServerHistory?
    /// The error of a commit that is being retried; all other work waits for it.
    var storeProblem: StoreError?
    var deliveredCount = 0
    /// Notices of this run, oldest first.
    var notices: [SyncNotice] = []
    var isClosed = false
    package var hasClosed: Bool { isClosed }
    /// True if the run ended before a decision of the outbox was committed: the outbox is ahead of the store from then
    /// on, and makes no more decisions.
    var isAheadOfStore = false
    let operationCache = QueuedOperationCache(
        countMax: SyncLimits.cachedOperationsMax, bytesMax: SyncLimits.cachedOperationBytesMax)
    /// Calls under way, by batch; the probe is separate.
    var deliveries: [Int: RuntimeTask] = [:]
    var probe: RuntimeTask?
    /// The number of the current probe; results of earlier ones are obsolete.
    var probeNumber = 0
    /// Attempts to upload under way, by number.
    var uploads: [Int: UploadUnderWay] = [:]
    /// Batches whose calls the engine itself cancelled, until they have ended.
    var brokenOff: Set<Int> = []
    /// True if a page could not be requested since the server was last reached.
    var hasMissedPage = false
    /// True if one of them could not be requested because the server could not be reached.
    var hasLostServer = false
    /// True if a probe is planned because of that.
    var isPageProbePlanned = false
    /// True if pages that the server refused will be requested again.
    var isRefusedPageDue = false
    /// Pages that are being read.
    var pagesUnderWay: [Int: PageUnderWay] = [:]
    var lastPage = 0
    var recordReads = RecordReads()
    var recordWrites = RecordWrites()
    let interpreter: EventInterpreter
    let followsEvents: Bool
    var follower = EventFollower()
    var events = EventReading()
    package nonisolated let followedEvents = FollowedEvents()
    package nonisolated let ephemeral: EphemeralFeed
    var ownTyping = OwnTyping()
    package nonisolated let statusObservers = StatusObservers()
    /// The required action that was reported last; `nil` after an input that left none, so that an action is reported
    /// again when it is resolved and required again within one turn.
    private var reportedAction: ActionRequired?
    private let startCursor: EventCursor?
    var waiters = Waiters()
    /// The last report of the machine's network, and the task that reads the reports.
    var networkStatus: NetworkStatus?
    private var networkReader: RuntimeTask?

    private var inbox: Deque<Input> = []
    private var isDraining = false
    /// Callers that wait until the inbox is empty.
    private var drainWaiters: [CheckedContinuation<Void, Never>] = []
    private var timer: (deadline: MonotonicTime, task: RuntimeTask)?
    private var eventTimer: (deadline: MonotonicTime, task: RuntimeTask)?
    private var subscription: StoreSubscription?

    /// - Parameters:
    ///   - snapshot: the result of ``Store/begin(_:)``.
    ///   - interpreter: the kinds of records in events.
    ///   - followsEvents: whether the server's events are followed.
    ///   - onRefreshTrigger: called whenever pages should be requested from the server again. Must return quickly and
    ///     must not call the engine.
    package init(
        store: any Store, snapshot: OutboxSnapshot, runtime: any Runtime, configuration: OutboxConfiguration,
        ordering: OrderingPolicy, interpreter: EventInterpreter, followsEvents: Bool,
        onRefreshTrigger: @escaping @Sendable (RefreshTrigger) -> Void
    ) {
        self.store = store
        self.runtime = runtime
        self.configuration = configuration
        self.ordering = ordering
        self.interpreter = interpreter
        self.followsEvents = followsEvents
        ephemeral = EphemeralFeed(runtime)
        self.onRefreshTrigger = onRefreshTrigger
        startCursor = snapshot.eventCursor
        outbox = Outbox(snapshot, configuration: configuration, seed: runtime.random())
        history = snapshot.history
        keptHistory = snapshot.history
        if let loss = snapshot.loss {
            notices.append(SyncNotice(kind: .storeLostCommits, at: runtime.wallClock, detail: loss))
        }
    }

    /// The current session, without waiting for the engine: the creation of a message waits for nothing that the engine
    /// does.
    package nonisolated var currentSession: Session? { shown.withLock { $0.session } }

    /// The capabilities of the session's server, without waiting for the engine; `nil` before a server is known.
    package nonisolated var currentCapabilities: TransportCapabilities? { shown.withLock { $0.capabilities } }

    /// The files of the session's server, without waiting for the engine; `nil` before a server is known, or if it has
    /// none.
    package nonisolated var currentMedia: (any MediaStore)? { shown.withLock { $0.media } }

    /// Subscribes to the store's feed, and resumes a saved session if there is one.
    package func start(session: Session?, transport: (any Transport)?, actionRequired: ActionRequired?) {
        subscription = store.subscribe { [feed, operationCache, weak self, runtime] commit in
            operationCache.note(commit)
            guard feed.push(commit) else { return }
            runtime.spawn { [weak self] in await self?.drain() }
        }
        if let network = runtime.network {
            networkReader = runtime.spawn { [weak self] in
                for await status in network.statuses() { await self?.networkReported(status) }
            }
        }
        self.session = session
        self.transport = transport
        guard session != nil else { return }
        followEvents(from: startCursor)
        submit(.event(.sessionBegan))
        if let actionRequired { submit(.event(.probeFailed(.actionRequired(actionRequired)))) }
    }

    /// Stops everything; nothing is sent afterwards. Undelivered messages are unchanged, outcomes of received responses
    /// are still committed, and an attempt that is cut off here does not count.
    package func close() async {
        guard !isClosed else { return }
        isClosed = true
        _ = outbox.handle(.paused, at: clock)  // nothing more may be sent
        subscription?.cancel()
        timer?.task.cancel()
        eventTimer?.task.cancel()
        networkReader?.cancel()
        stopFollowing()
        let uploads = breakOffUploads()
        await endCalls()
        for upload in uploads { await upload.finished() }
        if isDraining { await withCheckedContinuation { drainWaiters.append($0) } }
        await drain()
        await giveAttemptsBack()
        await transport?.close()
        waiters.failAll()
        statusObservers.end()
        ephemeral.end()
    }

    func tell(_ trigger: RefreshTrigger) { onRefreshTrigger(trigger) }

    // MARK: - The inbox

    /// The number of unprocessed inputs.
    var waitingInputs: Int { inbox.count + feed.count }

    func submit(_ input: Input) {
        guard !isClosed else { return }
        inbox.append(input)
        guard !isDraining else { return }
        runtime.spawn { await self.drain() }
    }

    /// Runs `work` in its turn, also if the engine has been closed meanwhile.
    func runInTurn(_ work: @escaping @Sendable (isolated SyncEngine) async -> Void) {
        inbox.append(.work(work))
        guard !isDraining else { return }
        runtime.spawn { await self.drain() }
    }

    /// Processes all waiting input, one item at a time; returns at once if that is under way already.
    func drain() async {
        guard !isDraining else { return }
        isDraining = true
        await takeFeed()
        while let input = inbox.popFirst() {
            switch input {
            case .event(let event):
                if !isClosed { await perform(outbox.handle(event, at: clock)) }
            // Requests are completed even after the end.
            case .work(let work): await work(self)
            }
            if outbox.actionRequired == nil { reportedAction = nil }
            await takeFeed()
            adaptFollower()
            adaptPageProbe()
            setTimer()
        }
        isDraining = false
        reportStatus()
        for waiter in drainWaiters { waiter.resume() }
        drainWaiters = []
        setTimer()
        if !isClosed, feed.await(outbox.canUseNews) { await drain() }
    }

    private func reportStatus() {
        if isClosed { return statusObservers.end() }
        if outbox.actionRequired != reportedAction {
            reportedAction = outbox.actionRequired
            if let reportedAction { tell(.actionRequired(reportedAction)) }
        }
        statusObservers.notify()
    }

    /// Processes entries of the feed for which the engine was not woken, so that its view of the outbox is complete.
    func catchUp() async {
        if !feed.isEmpty { await drain() }
    }

    /// Processes the store's commits before any request that was made after them.
    func takeFeed() async {
        while !isClosed {
            if feed.takeReset() {
                await perform(outbox.handle(.feedReset, at: clock))
                continue
            }
            let entries = feed.take()
            guard !entries.isEmpty else { return }
            await perform(outbox.handle(.enqueued(entries), at: clock))
        }
    }

    var clock: ClockReading { ClockReading(now: runtime.now, wall: runtime.wallClock) }

    private func setEventTimer() {
        let deadline = isClosed ? nil : follower.nextDeadline
        if eventTimer?.deadline == deadline { return }
        eventTimer?.task.cancel()
        eventTimer = deadline.map { deadline in
            let task = runtime.spawn { [runtime, weak self] in
                await runtime.sleep(until: deadline)
                await self?.eventTimerFired(deadline)
            }
            return (deadline, task)
        }
    }

    private func eventTimerFired(_ deadline: MonotonicTime) {
        guard eventTimer?.deadline == deadline else { return }
        eventTimer = nil
        submit(.work { engine in engine.eventDeadlineReached() })
    }

    private func setTimer() {
        setEventTimer()
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
