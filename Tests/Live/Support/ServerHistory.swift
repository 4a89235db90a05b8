import CausewayLive
import CausewayModels
import CausewayStorage
import Testing

/// One random history of windows with a server, in an order that a seed draws: it fails, grows, loses messages, tells
/// some before it is asked, can be reached again, and is asked by somebody else; own messages are delivered or deleted,
/// time passes, and the store fails and comes back.
struct ServerHistory: Sendable {
    var seed: UInt64
    var steps = 60
    var plantedFault: LiveFault?

    func run() async throws {
        let base = MemoryStore()
        guard let world = ServerWorld(base, seed, plantedFault) else { throw Violation("no world") }
        do {
            try await world.run(steps)
        } catch {
            throw Violation("seed \(seed): \(error)")
        }
        await base.close()
    }
}

/// The world of one history. One task uses it.
private final class ServerWorld {
    private let base: MemoryStore
    private let store: TurbulentStore
    private let timeline: StoreTimeline
    private let server: RandomServer
    private let runtime: ManualRuntime
    private let router: LiveRouter
    private var dice: WriterDice
    private var windows: [ServedWindow] = []
    private var drafts = 100_000
    /// What was written here and is not on the server.
    private var undelivered: [MessageID] = []
    private var deletedHere: Set<MessageID> = []
    private let reportsChanges: Bool

    init?(_ base: MemoryStore, _ seed: UInt64, _ plantedFault: LiveFault?) {
        guard let server = RandomServer(seed: seed) else { return nil }
        self.server = server
        dice = WriterDice(seed: ~seed, messages: 1)
        reportsChanges = dice.isOne(in: 2)
        self.base = base
        store = TurbulentStore(base)
        timeline = StoreTimeline(base)
        runtime = ManualRuntime(seed: seed)
        router = LiveRouter(
            store: store, runtime: runtime, delivery: nil, windowSurplusMax: dice.isOne(in: 3) ? 6 : nil,
            readingMax: dice.isOne(in: 2) ? 1 + dice.below(3) : nil, plantedFault: plantedFault)
    }

    func run(_ steps: Int) async throws {
        _ = try await base.begin(.forTests)
        for _ in 0..<dice.below(80) { server.grow() }
        for _ in 0..<dice.below(6) { try await tellSome() }
        windows.append(makeWindow())
        for _ in 0..<steps { try await step() }
        try await end()
    }

    private func step() async throws {
        switch dice.below(20) {
        case 0..<7: _ = await runtime.runOne(dice.below(1000))
        case 7: try await tellSome()
        case 8: for _ in 0..<(1 + dice.below(4)) { server.grow() }
        case 16: for _ in 0..<(1 + dice.below(4)) { server.delete() }
        case 17: server.edit()
        case 18: try await deliver()
        case 19: try await disturb()
        case 9, 10: anyWindow.lifetime.turn([.next, .next, .previous, .previous, .reset][dice.below(5)])
        case 11: try await write()
        case 12: router.refresh(isNewSession: false)
        case 13: try await changeSession()
        case 14:
            if windows.count < 4 { windows.append(makeWindow()) }
            if windows.count > 2 { windows.remove(at: dice.below(windows.count)) }
        default: try look()
        }
    }

    private var anyWindow: ServedWindow { windows[dice.below(windows.count)] }

    /// What comes from elsewhere leaves holes.
    private func tellSome() async throws {
        guard let first = server.messages.indices.randomElement(using: &dice.random) else { return }
        let some = server.messages.dropFirst(first).prefix(1 + dice.below(3))
        try await commit(some.map { .merge($0, at: Sample.time) })
    }

    private func commit(_ mutations: [Mutation]) async throws {
        try await base.commit(mutations)
        store.tell()
    }

    private func write() async throws {
        drafts += 1
        let draft = try Sample.draft(drafts, in: server.channel)
        _ = try await base.enqueue(draft)
        undelivered.append(draft.id)
        store.tell()
    }

    /// An own message gets to the server, others before it.
    private func deliver() async throws {
        guard !undelivered.isEmpty, let message = try await base.message(undelivered.removeFirst()) else { return }
        for _ in 0..<dice.below(3) { server.grow() }
        let placement = server.accept(message.id, message.content, from: message.sender)
        try await commit([.deliver(message.id, placement, at: Sample.time)])
    }

    private func disturb() async throws {
        switch dice.below(4) {
        case 0: store.failNextReads(1 + dice.below(3), with: dice.isOne(in: 2) ? .closed : .other(detail: "gone"))
        case 1: store.failNextSettlings(1)
        case 2:
            runtime.pass(.seconds(dice.below(40)))
            await settle()
            try look(isAtRest: true)
        default:
            // Somebody deletes one here; the server learns of it at once.
            guard let any = server.messages.randomElement(using: &dice.random) else { return }
            guard let message = try await base.message(any.id), message.syncState == .synced else { return }
            deletedHere.insert(any.id)
            let action = DeleteAction(
                at: Sample.time, by: .cli, message: any.id, channel: server.channel, type: .text, syncState: .synced,
                lastFailure: nil)
            try await commit([.delete(any.id), .recordDelete(action)])
            server.delete(any.id)
        }
    }

    /// - Parameter isAtRest: true when nothing is under way: then what is shown is known since the server was asked.
    private func look(isAtRest: Bool = false) throws {
        for window in windows {
            try window.look(timeline)
            let known = isAtRest && window.loading == .loaded ? known(window.query) : 0
            try window.check(server, known: known, deletedHere)
        }
    }

    /// Since when every window of the query must know the server: another one may have asked for it.
    private func known(_ query: MessagesQuery) -> Int {
        windows.filter { $0.query == query }.map { $0.remote.knownTime ?? 0 }.min() ?? 0
    }

    private func settle() async { while await runtime.runOne(0) {} }

    /// Somebody logs out, and nobody can be asked.
    private func changeSession() async throws {
        server.setFailures(100)
        router.refresh(isNewSession: true)
        await settle()
        try look()
        for window in windows where window.status == .fresh {
            throw Violation("\(window.query): it is fresh with nobody who could have told it")
        }
        server.setFailures(20)
        router.refresh(isNewSession: true)
    }

    /// The server works: everybody comes to see all of it.
    private func end() async throws {
        store.failNextReads(0)
        store.failNextSettlings(0)
        await settle()
        server.setFailures(0)
        router.refresh(isNewSession: false)
        await settle()
        try look(isAtRest: true)
        for window in windows {
            guard window.status == .fresh, window.loading == .loaded else {
                throw Violation("\(window.query): it is \(window.status) and \(window.loading) at the end")
            }
        }
        for window in windows {
            for _ in 0..<300 where window.hasMore {
                window.lifetime.turn(.previous)
                window.lifetime.turn(.next)
                await settle()
                try look()
            }
            let all = server.messages.filter { !deletedHere.contains($0.id) }.map(\.placement.position)
            guard !window.hasMore, window.placed == all else {
                throw Violation("\(window.query): \(window.placed) of \(all), however often one pages")
            }
        }
    }

    private func makeWindow() -> ServedWindow {
        let anchor: LiveAnchor<MessageQuery.Cursor> =
            switch dice.below(5) {
            case 0, 1: .first
            case 2, 3: .last
            default: .at(MessageQuery.Cursor(position: Int64(1 + dice.below(30)), ordinal: Int64(dice.below(30))))
            }
        let query = MessagesQuery(
            .channel(server.channel), direction: dice.isOne(in: 2) ? .ascending : .descending, anchor: anchor,
            pageSize: 1 + dice.below(6))
        return ServedWindow(
            query, RandomRemote(query, server, base, told: store, reportsChanges: reportsChanges), router)
    }
}

/// One window with a server, and what it has shown.
private final class ServedWindow {
    let query: MessagesQuery
    let remote: RandomRemote
    let lifetime: LiveLifetime
    private let outlet: LiveOutlet<MessagesQuery>
    private let reader: Int
    private var check: ReaderCheck<MessagesQuery>
    private var last: LiveCollectionChange<Message>?

    init(_ query: MessagesQuery, _ remote: RandomRemote, _ router: LiveRouter) {
        self.query = query
        self.remote = remote
        (lifetime, outlet) = router.open(query, isObject: false, remote: remote)
        reader = outlet.addReader()
        check = ReaderCheck(query, hasServer: true)
    }

    var status: DataStatus { last?.dataStatus ?? .notExist }
    var loading: LoadingStatus { last?.loadingStatus ?? .notLoading }
    var hasMore: Bool { last?.hasNext == true || last?.hasPrevious == true }
    /// The places of what is shown, oldest first.
    var placed: [Int64] { last?.snapshot.compactMap(\.placement?.position).sorted() ?? [] }

    func look(_ timeline: StoreTimeline) throws {
        guard let change = outlet.take(reader)?.change() else { return }
        try check.accept(change, timeline)
        last = change
    }

    /// - Parameter known: when the server was asked last for what is shown.
    func check(_ server: RandomServer, known: Int, _ deletedHere: Set<MessageID>) throws {
        guard let change = last, change.dataStatus == .fresh, let first = placed.first, let end = placed.last else {
            return
        }
        let shown = Dictionary(
            change.snapshot.compactMap { message in message.placement.map { ($0.position, message) } },
            uniquingKeysWith: { one, _ in one })
        for entry in server.entries[Int(first - 1)..<Int(end)] {
            if let message = shown[entry.position] {
                guard entry.said(message.content, from: known) else {
                    throw Violation("\(query): a fresh list of \(known) shows what was so before: \(entry)")
                }
            } else if !entry.isDeleted, !deletedHere.contains(entry.message.id) {
                throw Violation("\(query): a fresh list has holes: \(placed) without \(entry.position)")
            }
        }
    }
}
