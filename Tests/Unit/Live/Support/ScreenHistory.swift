import CausewayLiveQuery
import CausewayModels
import CausewayRuntime
import CausewaySimulatedRuntime
import CausewayStorage
import Synchronization

/// One random history of screens: active writers, collections on the main actor with observers that perform actions in
/// their callbacks, and tasks that read changes at their own pace; in simulated time, on the main thread.
struct ScreenHistory: Sendable {
    var seed: UInt64
    var fault: StoreFault?

    @MainActor
    func run() throws {
        let runtime = SimulatedRuntime(seed: seed)
        do {
            try runtime.run {
                let base = try StoreKind.simulated(seed: seed).makeSimulated()
                let world = ScreenWorld(base, runtime, seed, fault)
                try await world.run()
            }
        } catch {
            throw Violation("seed \(seed): \(error)")
        }
    }
}

/// The world of one history. Used by one thread; its mutable state belongs to the main actor.
private final class ScreenWorld: Sendable {
    let timeline: StoreTimeline
    private let store: TurbulentStore
    private let runtime: SimulatedRuntime
    private let engine: LiveQueryEngine
    private let writer: HistoryWriter
    private let dice: Mutex<WriterDice>
    private let screens = Mutex<[Screen]>([])
    private let followers = Mutex<[Int: (screen: Screen, check: ReaderCheck<MessagesQuery>)]>([:])
    let violation = Mutex<Violation?>(nil)

    init(_ base: any Store, _ runtime: SimulatedRuntime, _ seed: UInt64, _ fault: StoreFault?) {
        self.runtime = runtime
        var dice = WriterDice(seed: seed, messages: 4 + Int(seed % 20))
        store = TurbulentStore(base, fault: fault)
        timeline = StoreTimeline(base)
        engine = LiveQueryEngine(
            store: store, runtime: runtime, delivery: SimulatedDelivery(runtime),
            bounds: dice.isOne(in: 3) ? .init(inboxCommitsMax: 4) : .init())
        writer = HistoryWriter(
            base, timeline, WriterDice(seed: ~seed, messages: dice.ids.count), intensity: dice.below(3))
        self.dice = Mutex(dice)
    }

    func below(_ bound: Int) -> Int { dice.withLock { $0.below(bound) } }

    func run() async throws {
        _ = try await store.start(.forTests)
        store.setTurbulence(
            TurbulentStore.Turbulence { [weak self] () async throws(StoreError) in try await self?.strike() })
        var writers: [RuntimeTask] = []
        var following: [RuntimeTask] = []
        for _ in 0..<(1 + below(3)) { writers.append(runtime.spawn { await self.write(times: 12) }) }
        for _ in 0..<(1 + below(4)) {
            let screen = onMain {
                let query = query()
                return Screen(self, (engine.collection(query), query))
            }
            screens.withLock { $0.append(screen) }
            await pause()
            for _ in 0..<below(3) { following.append(follow(screen)) }
        }
        for _ in 0..<10 {
            await pause()
            let screens = screens.withLock { $0 }
            onMain { screens[below(screens.count)].act(below(14)) }
        }
        for task in writers { await task.finished() }
        store.setTurbulence(nil)
        store.publish()
        await runtime.sleep(until: runtime.now + .seconds(5))
        try end()
        for screen in screens.withLock({ $0 }) { onMain { screen.collection.dispose() } }
        for task in following { await task.finished() }
        if let violation = violation.withLock({ $0 }) { throw violation }
    }

    private func end() throws {
        try violation.withLock { if let violation = $0 { throw violation } }
        for (screen, check) in followers.withLock({ $0.values }) where !screen.isDisposed {
            try check.checkEnd(timeline)
        }
        for screen in screens.withLock({ $0 }) { try onMain { try screen.checkEnd() } }
    }

    // MARK: Writers

    private func write(times: Int) async {
        for _ in 0..<times {
            writer.refill()
            do {
                try await writer.write()
            } catch {
                report(Violation("a write failed: \(error)"))
            }
            await pause()
            store.publish()
        }
    }

    private func strike() async throws(StoreError) {
        await pause()
        if try await writer.strike() { store.publish() }
    }

    func pause() async {
        if below(3) > 0 { await runtime.sleep(until: runtime.now + .milliseconds(below(20))) }
    }

    // MARK: Readers

    private func follow(_ screen: Screen) -> RuntimeTask {
        let number = below(1 << 40)
        let changes = screen.collection.changes
        followers.withLock { $0[number] = (screen, ReaderCheck(screen.query)) }
        return runtime.spawn { [self] in
            for await change in changes {
                do {
                    try followers.withLock { try $0[number]?.check.accept(change, timeline) }
                } catch {
                    report(error)
                }
                await pause()
            }
            if !screen.isDisposed {
                report(Violation("\(screen.query): the changes of a collection ended before it did"))
            }
        }
    }

    func report(_ violation: any Error) {
        self.violation.withLock { $0 = $0 ?? violation as? Violation ?? Violation("\(violation)") }
    }

    /// All collections show one version.
    @MainActor
    func checkUnison() {
        let shown = screens.withLock { $0 }.filter { !$0.isDisposed && $0.collection.version > 0 }
        guard let version = shown.map(\.collection.version).max(), let moment = timeline.moment(version) else { return }
        for screen in shown {
            let truth = moment.records(of: screen.query)
            let seen = screen.collection.allObjects()
            guard let first = seen.first else { continue }
            let start = truth.firstIndex { $0.id == first.id } ?? 0
            guard truth.dropFirst(start).prefix(seen.count).elementsEqual(seen) else {
                return report(Violation("\(screen.query): two lists show two versions, of which \(version) is one"))
            }
        }
    }

    private func query() -> MessagesQuery {
        let (scope, isDescending, anchor, size) = dice.withLock { dice in
            let scope: MessageQuery.Scope =
                switch dice.below(5) {
                case 0: .undelivered
                case 1: .failed(in: nil)
                default: .channel(dice.channels[dice.below(2)])
                }
            return (scope, dice.isOne(in: 2), dice.isOne(in: 2), 1 + dice.below(6))
        }
        return MessagesQuery(
            scope, direction: isDescending ? .descending : .ascending, anchor: anchor ? .first : .last, pageSize: size)
    }
}

/// One collection on a screen, and observers that perform random actions.
private final class Screen: Sendable {
    @MainActor private final class State {
        var observers: [(token: NotificationToken?, check: ReaderCheck<MessagesQuery>)] = []
        var isValid: [Int: Bool] = [:]
        var onceTokens: [NotificationToken] = []
        /// The number of times that all listeners were removed.
        var removals = 0
        var isDisposed = false
    }

    let collection: LiveCollection<Message>
    let query: MessagesQuery
    private let world: ScreenWorld
    private let state: State

    @MainActor
    init(_ world: ScreenWorld, _ opened: (LiveCollection<Message>, MessagesQuery)) {
        self.world = world
        (collection, query) = opened
        state = State()
        observe()
    }

    var isDisposed: Bool { onMain { state.isDisposed } }

    @MainActor
    private func observe() {
        let index = state.observers.count
        let token = collection.observe { [unowned self] _, change in told(index, change) }
        state.observers.append((token, ReaderCheck(query)))
    }

    @MainActor
    private func told(_ index: Int, _ change: LiveCollectionChange<Message>) {
        if state.isDisposed { world.report(Violation("\(query): told after dispose")) }
        if !state.isValid[index, default: true] { world.report(Violation("\(query): told after invalidate")) }
        do {
            try state.observers[index].check.accept(change, world.timeline)
            guard collection.snapshots == change.snapshot, collection.dataStatus == change.dataStatus else {
                throw Violation("\(query): what is told is not what is shown")
            }
        } catch {
            world.report(error)
        }
        world.checkUnison()
        // From within the callback.
        if world.below(6) == 0 { act(world.below(14)) }
    }

    @MainActor
    func act(_ choice: Int) {
        if state.isDisposed { return }
        switch choice {
        case 0, 1: collection.nextPage()
        case 2: collection.previousPage()
        case 3: collection.resetPage()
        case 4: observe()
        case 5, 6, 7:
            guard state.observers.count > 1 else { return }
            let index = world.below(state.observers.count)
            state.isValid[index] = false
            if choice == 5 {
                state.observers[index].token = nil
            } else {
                state.observers[index].token?.invalidate()
            }
        case 8, 9: observeOnce()
        case 10: listen(isOnce: false)
        case 11: listen(isOnce: true)
        case 12:
            state.removals += 1
            collection.removeAllListeners()
        default:
            if world.below(3) > 0 { return }
            state.isDisposed = true
            collection.dispose()
        }
    }

    @MainActor
    private func observeOnce() {
        var calls = 0
        state.onceTokens.append(
            collection.observeOnce { [unowned self] _, change in
                calls += 1
                if calls > 1 { world.report(Violation("\(query): told more than once")) }
                heard(change)
            })
    }

    @MainActor
    private func listen(isOnce: Bool) {
        let removals = state.removals
        var calls = 0
        let hear: @MainActor (LiveCollectionChange<Message>) -> Void = { [unowned self] change in
            calls += 1
            if isOnce, calls > 1 { world.report(Violation("\(query): an event told more than once")) }
            if state.removals > removals { world.report(Violation("\(query): told after its removal")) }
            // Unchanged data are reported once more when they are found to be fresh.
            if change.isDataUnchanged, change.dataStatus != .fresh {
                world.report(Violation("\(query): data told that did not differ"))
            }
            heard(change)
        }
        if isOnce { collection.once(.dataUpdated, hear) } else { collection.on(.dataUpdated, hear) }
    }

    @MainActor
    private func heard(_ change: LiveCollectionChange<Message>) {
        if state.isDisposed { world.report(Violation("\(query): told after dispose")) }
        guard collection.snapshots == change.snapshot else {
            return world.report(Violation("\(query): what is told is not what is shown"))
        }
        if world.below(4) == 0 { act(world.below(14)) }
    }

    @MainActor
    func checkEnd() throws(Violation) {
        if state.isDisposed { return }
        for (index, observer) in state.observers.enumerated() where state.isValid[index, default: true] {
            try observer.check.checkEnd(world.timeline)
        }
        state.isDisposed = true
    }
}
