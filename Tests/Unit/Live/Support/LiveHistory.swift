import CausewayLiveQuery
import CausewayModels
import CausewayStorage

/// One random history: writers, windows and readers of one store, in an order determined by a seed.
struct LiveHistory: Sendable {
    var seed: UInt64
    var steps = 30
    var fault: StoreFault?

    /// Creates an empty store that has not been started.
    typealias MakeStore = @Sendable () async throws -> any Store

    /// Runs the history.
    func run(on make: MakeStore) async throws {
        let base = try await make()
        let world = HistoryWorld(base, seed, fault)
        do {
            try await world.run(steps)
        } catch {
            throw Violation("seed \(seed): \(error)")
        }
        await base.close()
    }
}

/// The world of one history. Used by one task.
private final class HistoryWorld {
    private let store: TurbulentStore
    private let timeline: StoreTimeline
    private let runtime: ManualRuntime
    private let engine: LiveQueryEngine
    private let writer: HistoryWriter
    private var dice: WriterDice
    private var windows: [any ProbedWindow] = []

    init(_ base: any Store, _ seed: UInt64, _ fault: StoreFault?) {
        dice = WriterDice(seed: seed, messages: 4 + Int(seed % 20))
        store = TurbulentStore(base, fault: fault)
        timeline = StoreTimeline(base)
        runtime = ManualRuntime(seed: seed)
        var bounds = LiveQueryEngine.Bounds()
        if dice.isOne(in: 3) { bounds.inboxCommitsMax = 3 }
        if dice.isOne(in: 3) { bounds.surplusMax = 2 }
        if dice.isOne(in: 2) { bounds.readingMax = 1 + dice.below(3) }
        engine = LiveQueryEngine(store: store, runtime: runtime, bounds: bounds)
        dice.isUnique = seed % 3 == 0
        var writing = WriterDice(seed: ~seed, messages: dice.ids.count)
        writing.isUnique = dice.isUnique
        writer = HistoryWriter(base, timeline, writing, intensity: dice.below(4))
    }

    func run(_ steps: Int) async throws {
        _ = try await store.start(.forTests)
        for _ in 0..<dice.below(12) { try await write() }
        store.setTurbulence(
            TurbulentStore.Turbulence { [writer, weak store] () async throws(StoreError) in
                if try await writer.strike() { store?.publish() }
            })
        for _ in 0..<steps { try await step() }
        store.setTurbulence(nil)
        try await end()
    }

    private func step() async throws {
        switch dice.below(16) {
        case 0..<6: try await write()
        case 6..<10:
            writer.refill()
            _ = await runtime.runOne(dice.below(1000))
        case 10..<13:
            guard let window = anyWindow else { return }
            try window.look(dice.below(window.readerCount), timeline)
        case 13:
            anyWindow?.turn([.next, .next, .previous, .previous, .reset][dice.below(5)])
        case 14:
            if windows.count < 4 { windows.append(makeWindow()) }
        default:
            switch dice.below(5) {
            case 0: if windows.count > 1 { windows.remove(at: dice.below(windows.count)) }
            case 1, 2: anyWindow?.addReader()
            case 3: if let window = anyWindow { window.removeReader(dice.below(window.readerCount)) }
            default:
                if dice.isOne(in: 3) { store.failNextReads(1, with: dice.isOne(in: 2) ? .closed : .other(detail: "")) }
            }
        }
    }

    private var anyWindow: (any ProbedWindow)? {
        windows.isEmpty ? nil : windows[dice.below(windows.count)]
    }

    private func write() async throws {
        try await writer.write()
        // Sometimes a writer's call has committed and not yet returned.
        if dice.below(3) > 0 { store.publish() }
    }

    /// All activity ends: then every reader has the final state.
    private func end() async throws {
        store.failNextReads(0)
        if windows.isEmpty { windows.append(makeWindow()) }
        store.publish()
        while await runtime.runOne(0) {}
        for window in windows {
            for reader in 0..<window.readerCount { try window.look(reader, timeline) }
            try window.checkEnd(timeline)
        }
    }

    // MARK: Windows

    private func makeWindow() -> any ProbedWindow {
        let pageSize = 1 + dice.below(6)
        if dice.isOne(in: 12) { return WindowProbe(DeleteActionsQuery(pageSize: pageSize), engine) }
        if dice.isOne(in: 12) { return WindowProbe(OneMessageQuery(dice.ids[dice.below(dice.ids.count)]), engine) }
        let scope: MessageQuery.Scope =
            switch dice.below(8) {
            case 0: .undelivered
            case 1: .failed(in: nil)
            case 2: .failed(in: dice.channels[0])
            default: .channel(dice.channels[dice.below(2)])
            }
        let anchor: LiveAnchor<MessageQuery.Cursor> =
            switch dice.below(5) {
            case 0, 1: .first
            case 2, 3: .last
            default: .at(MessageQuery.Cursor(position: Int64(dice.below(20)), ordinal: Int64(dice.below(30))))
            }
        let includesDeleted = dice.isUnique && dice.below(4) > 0
        let filter = MessageFilter(type: includesDeleted && dice.isOne(in: 4) ? .text : nil)
        return WindowProbe(
            MessagesQuery(
                scope, filter: filter, includesDeleted: includesDeleted,
                direction: dice.isOne(in: 2) ? .ascending : .descending, anchor: anchor, pageSize: pageSize),
            engine)
    }
}
