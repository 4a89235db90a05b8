import CausewayModels
package import CausewayRuntime
package import CausewayStorage
import Synchronization

/// Applies the store's changes to the open windows, and publishes their contents.
///
/// All input goes through one inbox and is processed one pass at a time. A pass
///
/// 1. performs requests: opens windows, turns pages, closes;
/// 2. applies the commits that arrived, each change to the windows whose topic it concerns;
/// 3. reads the records that windows need from the store: new ones, those that must grow, those that a reset concerns;
/// 4. waits until the feed has reported every commit that these reads can reflect, and applies them, too;
/// 5. freezes the windows that differ from their last frame, and publishes the frames together; except while the
///    commits include a response of the server whose request has not ended (``FrameHold``): the pass that its end
///    causes publishes them.
///
/// So no change is lost between a first read and the changes after it, all frames of a pass have one version, and
/// commits that arrive while a pass runs are merged into the next: the store's feed only appends commits to the inbox.
package actor LiveQueryEngine {
    /// Those of ``LiveLimits`` that an engine can be created with lower.
    package struct Bounds: Sendable {
        package var inboxCommitsMax: Int
        package var inboxBytesMax: Int
        /// Records of a window beyond the requested number.
        package var surplusMax: Int
        /// Records that are read from the store at a time.
        package var readingMax: Int
        /// Records that a window requests.
        package var recordsMax: Int

        package init(
            inboxCommitsMax: Int = LiveLimits.inboxCommitsMax, inboxBytesMax: Int = LiveLimits.inboxBytesMax,
            surplusMax: Int = LiveLimits.windowSurplusMax, readingMax: Int = LiveLimits.pageSizeMax,
            recordsMax: Int = LiveLimits.windowRecordsMax
        ) {
            self.inboxCommitsMax = inboxCommitsMax
            self.inboxBytesMax = inboxBytesMax
            self.surplusMax = surplusMax
            self.readingMax = readingMax
            self.recordsMax = recordsMax
        }
    }

    /// All input of the router. Also for callers that must not wait.
    let inbox: LiveInbox
    let stage: FrameScheduler
    private let store: any Store
    nonisolated let runtime: any Runtime
    private let bounds: Bounds
    /// Makes the errors of the store, the server and this module those that callers see.
    nonisolated let mapError: @Sendable (any Error) -> any Error
    private let nextWindow = Atomic<Int>(0)

    private var windows: [Int: any LiveWindow] = [:]
    private var byTopic: [LiveTopic: [Int]] = [:]
    /// Requests to the server under way, by window.
    private var loads: [Int: (number: Int, task: RuntimeTask)] = [:]
    private var nextLoad = 0
    private var subscription: StoreSubscription?
    private var version: Int64 = 0
    /// The account whose records the windows show; `nil` until a login or a logout was reported.
    private var account: Account?
    /// Windows that may have to ask the server.
    private var unloaded: Set<Int> = []
    /// Windows that may have changed since they were last frozen.
    private var dirtyWindows: Set<Int> = []
    /// Windows that could not be read; they are left unchanged until the read is retried.
    private var unreadable: Set<Int> = []
    private var isRetryOnItsWay = false
    /// True if commits were applied since frames were last published.
    private var hasUnpublishedCommits = false
    /// The time since which frames have been held back; `nil` if they are not.
    private var heldSince: MonotonicTime?
    /// To be called when everything applied so far has been published.
    private var publicationWaiters: [@Sendable () -> Void] = []
    /// The end of the last pass, and the number of consecutive passes that began right after the one before.
    private var lastPassEnd = MonotonicTime.zero
    private var hurriedPasses = 0

    /// Reads nothing and subscribes to nothing before the first window is opened.
    ///
    /// - Parameter mapError: makes the errors of the store, the server and this module those that callers see.
    package init(
        store: any Store, runtime: any Runtime, delivery: (any LiveDelivery)? = nil, bounds: Bounds = Bounds(),
        mapError: @escaping @Sendable (any Error) -> any Error = { $0 }
    ) {
        self.mapError = mapError
        self.store = store
        self.runtime = runtime
        self.bounds = bounds
        inbox = LiveInbox(bounds)
        stage = FrameScheduler(delivery ?? MainActorDelivery(runtime))
    }

    /// The number of collections and objects that are displayed on the main actor.
    package nonisolated var presenterCount: Int { stage.presenterCount }

    // MARK: - Requests, from any thread

    /// Opens a window. It is closed when the returned lifetime is released.
    package nonisolated func open<Query: LiveQuery>(
        _ query: Query, isObject: Bool, remote: (any RemoteSource<Query.Key>)?
    ) -> (lifetime: LiveLifetime, broadcaster: SnapshotBroadcaster<Query>) {
        let id = nextWindow.add(1, ordering: .relaxed).newValue
        let broadcaster = SnapshotBroadcaster(query)
        submit(
            .open { [bounds, mapError] in
                WindowDriver(
                    id: id, query: query, isObject: isObject, broadcaster: broadcaster, remote: remote,
                    bounds: bounds, mapError: mapError)
            })
        return (LiveLifetime(self, id), broadcaster)
    }

    /// Asks the server again for the windows of the scope that it serves.
    package nonisolated func refresh(_ scope: LiveRefresh) {
        // A window that is opened meanwhile asks anyway.
        if inbox.isListening { submit(.refresh(scope)) }
    }

    /// Reports that the stream of the server's events has been interrupted for so long that data may be out of date:
    /// windows that it keeps up to date are not fresh until ``caughtUp()``, or until the server was asked.
    package nonisolated func markOutdated() {
        if inbox.isListening { submit(.markOutdated) }
    }

    /// Reports that the stream of the server's events has brought everything, and that the feed has reported it.
    package nonisolated func caughtUp() {
        if inbox.isListening { submit(.caughtUp) }
    }

    /// Repeats only the requests to the server that failed.
    package nonisolated func retryFailed() {
        if inbox.isListening { submit(.retryFailed) }
    }

    /// Ends every live object and collection: both statuses become `error`, and iterators end. Those opened later start
    /// in that state. Returns when the last frames have been published; for a caller on the main actor also displayed.
    /// May be called twice.
    package nonisolated func close() async {
        if inbox.close() { return }
        await withCheckedContinuation { isDone in submit(.end { isDone.resume() }) }
        stage.turn(for: #isolation)
    }

    /// Returns when every commit that was reported before the call is in the collections; for a caller on the main
    /// actor also in their displayed state. Other callers do not wait for the main actor. Returns at once if there is
    /// no window.
    package nonisolated func catchUp() async {
        guard inbox.isListening || inbox.isAwake else { return }
        await withCheckedContinuation { isDone in submit(.notify { isDone.resume() }) }
        stage.turn(for: #isolation)
    }

    nonisolated func submit(_ job: LiveInbox.Job) {
        submit([job])
    }

    private nonisolated func submit(_ jobs: [LiveInbox.Job]) {
        guard inbox.submit(jobs) else { return }
        runtime.spawn { await self.drain() }
    }

    // MARK: - Passes

    private func drain() async {
        while let batch = inbox.dequeue() {
            let isHurried = !batch.hasRequests && runtime.now - lastPassEnd < LiveLimits.hurriedPassGap
            hurriedPasses = isHurried ? hurriedPasses + 1 : 0
            await pass(batch)
            if hurriedPasses >= LiveLimits.hurriedPassesMax { await coalesce() }
            lastPassEnd = runtime.now
        }
    }

    /// Pauses when commits follow each other immediately, at a writer's full speed. A pass for each of them would
    /// compete with the writer for the processors, and no screen shows a thousand frames a second: the commits of a
    /// short interval are merged into one pass. The inbox does not wake the router meanwhile.
    ///
    /// If hardly any commits arrive in that interval, the writer is waiting for its writes to be displayed: then
    /// nothing is delayed for a while.
    private func coalesce() async {
        await runtime.sleep(until: runtime.now + LiveLimits.coalescingInterval)
        if inbox.commitCount <= LiveLimits.coalescedCommitsMin { hurriedPasses = -LiveLimits.promptPasses }
    }

    private func pass(_ batch: LiveInbox.ChangeBatch) async {
        for job in batch.jobs { perform(job) }
        apply(batch)
        await readWhatIsNeeded()
        if isHeld() { return }
        heldSince = nil
        hasUnpublishedCommits = false
        publish()
        // The turn that displays it was requested first.
        let waiters = publicationWaiters
        publicationWaiters = []
        for isDone in waiters { isDone() }
        startLoads()
    }

    /// True while frames must not be published: a response of the server may be among the commits that were applied,
    /// and its request has not ended. To be called after the last commit was taken. A hold that takes too long, because
    /// the disk is in trouble, is ignored.
    private func isHeld() -> Bool {
        guard hasUnpublishedCommits, inbox.isHeld else { return false }
        if let heldSince { return runtime.now - heldSince < LiveLimits.frameHoldMax }
        let now = runtime.now
        heldSince = now
        runtime.spawn { [runtime, weak self] in
            await runtime.sleep(until: now + LiveLimits.frameHoldMax)
            self?.submit(.goOn)
        }
        return true
    }

    private func perform(_ job: LiveInbox.Job) {
        switch job {
        case .open(let make): add(make())
        case .turn(let id, let page, let result):
            guard let window = windows[id] else {
                result?.complete(.failure(mapError(LivePageError.disposed)))
                return
            }
            window.turn(page, result)
            unreadable.remove(id)
            dirtyWindows.insert(id)
        case .loadEnded(let id, let number, let end):
            guard loads[id]?.number == number else { return }
            loads[id] = nil
            if let window = windows[id] { end.apply(window, runtime.now) }
            dirtyWindows.insert(id)
        case .close(let id): remove(id)
        case .retry:
            isRetryOnItsWay = false
            unreadable = []
        case .goOn: return
        case .notify(let isDone): publicationWaiters.append(isDone)
        case .holdEnded: inbox.endHold()
        case .refresh(let scope):
            for (id, window) in windows.sorted(by: { $0.key < $1.key }) {
                if scope == .newSession { loads.removeValue(forKey: id)?.task.cancel() }
                window.refresh(scope)
            }
            dirtyWindows.formUnion(windows.keys)
        case .markOutdated:
            for window in windows.values { window.markOutdated() }
            dirtyWindows.formUnion(windows.keys)
        case .caughtUp:
            for window in windows.values { window.caughtUp() }
            dirtyWindows.formUnion(windows.keys)
        case .retryFailed:
            for (id, window) in windows where window.retryFailed() { dirtyWindows.insert(id) }
        case .end(let whenDone):
            endAll()
            whenDone()
        }
    }

    private func add(_ window: any LiveWindow) {
        if inbox.isClosed { return stage.publish([(window.id, window.end(StoreError.closed))]) }
        if subscription == nil {
            subscription = store.subscribe { [inbox, runtime, weak self] commit in
                guard inbox.push(commit) else { return }
                runtime.spawn { [weak self] in await self?.drain() }
            }
        }
        if windows.isEmpty {
            account = nil  // a later login was not reported
            inbox.listen(true)
        }
        let twins = byTopic[window.topic] ?? []
        _ = twins.contains { twin in
            windows[twin].map { window.adoptFreshness(from: $0, at: runtime.now) } ?? false
        }
        windows[window.id] = window
        byTopic[window.topic, default: []].append(window.id)
        dirtyWindows.insert(window.id)
    }

    private func remove(_ id: Int) {
        loads.removeValue(forKey: id)?.task.cancel()
        // Also after the end, when there are no windows.
        stage.remove(window: id)
        guard let window = windows.removeValue(forKey: id) else { return }
        byTopic[window.topic]?.removeAll { $0 == id }
        if byTopic[window.topic]?.isEmpty == true { byTopic[window.topic] = nil }
        dirtyWindows.remove(id)
        unloaded.remove(id)
        unreadable.remove(id)
        window.close()
        if windows.isEmpty { inbox.listen(false) }
    }

    private func endAll() {
        hasUnpublishedCommits = false
        subscription?.cancel()
        inbox.listen(false)
        for (_, load) in loads.sorted(by: { $0.key < $1.key }) { load.task.cancel() }
        stage.publish(windows.values.sorted { $0.id < $1.id }.map { ($0.id, $0.end(StoreError.closed)) })
        (windows, byTopic, loads) = ([:], [:], [:])
        (dirtyWindows, unloaded, unreadable) = ([], [], [])
    }

    // MARK: The feed

    private func apply(_ batch: LiveInbox.ChangeBatch) {
        if batch.isReset { invalidateAll() }
        if let next = batch.account { goOver(to: next) }
        if batch.isReset || !batch.commits.isEmpty { hasUnpublishedCommits = true }
        for commit in batch.commits {
            version = max(version, commit.version)
            if commit.isReset { invalidateAll() }
            for change in commit.changes {
                LiveTopic.forEach(in: change) { topic in
                    for id in byTopic[topic] ?? [] {
                        windows[id]?.apply(change, isPruning: !commit.pruned.isEmpty)
                        dirtyWindows.insert(id)
                    }
                }
            }
        }
        guard !batch.pruned.isEmpty else { return }
        for (id, window) in windows where window.prune(batch.pruned) { dirtyWindows.insert(id) }
    }

    private func goOver(to next: Account) {
        defer { account = next }
        guard next != account else { return }
        for window in windows.values { window.disown() }
    }

    private func invalidateAll() {
        for window in windows.values { window.invalidate() }
        dirtyWindows.formUnion(windows.keys)
    }

    // MARK: The store

    private func readWhatIsNeeded() async {
        let newcomers = newcomersToRead
        for _ in 0..<LiveLimits.settlingRoundsMax {
            let needy = dirtyWindows.subtracting(unreadable).sorted().compactMap { windows[$0] }.filter {
                $0.needsReading && ($0.isShown || newcomers.contains($0.id))
            }
            if needy.isEmpty { break }
            for window in needy {
                await window.read(from: store)
                window.integrate()
                // Otherwise commits would accumulate beyond the limit while many windows are read.
                apply(inbox.dequeueCommits())
            }
            await settle(needy)
            unreadable.formUnion(needy.lazy.filter(\.hasReadingFailed).map(\.id))
        }
        if !unreadable.isEmpty { retryLater() }
    }

    /// The windows that this pass displays for the first time. Windows that are displayed already are read in every
    /// pass, so that no two of them disagree.
    private var newcomersToRead: Set<Int> {
        let newcomers = dirtyWindows.subtracting(unreadable).filter {
            windows[$0].map { !$0.isShown && $0.needsReading } ?? false
        }
        return Set(newcomers.sorted().prefix(LiveLimits.newcomersPerPassMax))
    }

    private func retryLater() {
        if isRetryOnItsWay { return }
        isRetryOnItsWay = true
        runtime.spawn { [runtime, weak self] in
            await runtime.sleep(until: runtime.now + LiveLimits.readRetryInterval)
            self?.submit(.retry)
        }
    }

    /// Applies the feed up to every commit that a read can reflect.
    private func settle(_ justRead: [any LiveWindow]) async {
        do throws(StoreError) {
            let settled = try await store.settledVersion()
            apply(inbox.dequeueCommits())
            version = max(version, settled)
        } catch {
            apply(inbox.dequeueCommits())
            for window in justRead { window.invalidateRead(error) }
        }
    }

    // MARK: Frames

    private func publish() {
        var frames: [(window: Int, put: () -> Void)] = []
        var unread: Set<Int> = []
        for id in dirtyWindows.sorted() {
            guard let window = windows[id] else { continue }
            if let put = window.makeSnapshot(at: version) { frames.append((id, put)) }
            publicationWaiters += window.endedTurns()
            if window.needsReading { unread.insert(id) }
            if window.wantsLoad { unloaded.insert(id) }
        }
        dirtyWindows = unread
        if !unread.isSubset(of: unreadable) { submit(.goOn) }
        if !frames.isEmpty { stage.publish(frames) }
    }

    // MARK: The server

    private func startLoads() {
        for id in unloaded.sorted() where loads.count < LiveLimits.loadsMax {
            unloaded.remove(id)
            guard loads[id] == nil, let load = windows[id]?.beginLoad() else { continue }
            nextLoad += 1
            let number = nextLoad
            let hold = FrameHold(inbox) { [weak self] in self?.submit(.holdEnded) }
            let task = runtime.spawn { [weak self] in
                let end = await load.run(hold)
                self?.submit((hold.take() ? [.holdEnded] : []) + [.loadEnded(id, number: number, end)])
            }
            loads[id] = (number, task)
        }
    }
}
