import CausewayLiveQuery
import CausewayModels
import CausewayStorage

/// One random history of windows with a server, in an order determined by a seed.
///
/// The server fails, grows, edits and loses messages, sends some before it is asked, and becomes reachable again.
/// Messages of this account are delivered or deleted, time passes, lists are closed while a request for them is under
/// way, limits are reached, the store fails and recovers, and another account logs in.
struct ServedHistory: Sendable {
    var seed: UInt64
    var steps = 60
    var fault: RandomRemote.Fault?

    /// - Returns: the events that occurred.
    @discardableResult
    func run() async throws -> Strikes {
        let base = try StoreKind.simulated(seed: seed).makeSimulated()
        guard let world = ServerWorld(base, seed, fault) else { throw Violation("no world") }
        do {
            try await world.run(steps)
        } catch {
            await world.runOut()
            throw Violation("seed \(seed): \(error)")
        }
        await base.close()
        return world.strikes
    }
}

/// The world of one history. Used by one task.
final class ServerWorld {
    let base: any Store
    let store: TurbulentStore
    let timeline: StoreTimeline
    let engine: LiveQueryEngine
    let runtime: ManualRuntime
    var dice: WriterDice
    var strikes = Strikes()
    var accounts: [ServedAccount]
    /// The account that is logged in, or was last.
    var current = 0
    let servers: CurrentServer
    private(set) var windows: [ServedWindow] = []
    private var drafts = 100_000
    private let reportsChanges: Bool
    private let changesMax: Int
    private let windowsMax: Int
    private let fault: RandomRemote.Fault?
    private let inboxCommitsMax: Int?

    init?(_ base: any Store, _ seed: UInt64, _ fault: RandomRemote.Fault?) {
        self.fault = fault
        dice = WriterDice(seed: ~seed, messages: 1)
        // Two users of one server see the same messages, two servers have none in common.
        guard let ada = ServedAccount("ada", seed: seed, firstNumber: 0),
            let eve = ServedAccount("eve", seed: seed ^ 0x5EED, firstNumber: dice.isOne(in: 2) ? 0 : 10_000)
        else { return nil }
        accounts = [ada, eve]
        servers = CurrentServer(ada.server)
        reportsChanges = dice.isOne(in: 2)
        changesMax = 2 + dice.below(11)
        windowsMax = dice.isOne(in: 12) ? LiveLimits.loadsMax + 2 : 4
        inboxCommitsMax = dice.isOne(in: 3) ? 1 : nil
        self.base = base
        store = TurbulentStore(base)
        timeline = StoreTimeline(base)
        runtime = ManualRuntime(seed: seed)
        var bounds = LiveQueryEngine.Bounds()
        if let inboxCommitsMax { bounds.inboxCommitsMax = inboxCommitsMax }
        if dice.isOne(in: 3) { bounds.surplusMax = 6 }
        if dice.isOne(in: 2) { bounds.readingMax = 1 + dice.below(3) }
        engine = LiveQueryEngine(store: store, runtime: runtime, bounds: bounds)
    }

    var server: RandomServer { servers.server }

    func run(_ steps: Int) async throws {
        _ = try await base.start(.forTests)
        try await commit([.saveSession(accounts[0].session)])
        for account in accounts { for _ in 0..<dice.below(80) { account.server.grow() } }
        for _ in 0..<dice.below(6) { try await tellSome() }
        windows.append(makeWindow())
        for _ in 0..<steps { try await step() }
        try await end()
        if dice.isOne(in: 3) {
            try await changeAccount()
            try await end()
        }
        note(store.failed)
        for window in windows { strikes.add(window.strikes) }
    }

    private func step() async throws {
        switch dice.below(21) {
        case 0..<7: _ = await runtime.runOne(dice.below(1000))
        case 7: try await tellSome()
        case 8:
            strikes.note(.serverGrew)
            for _ in 0..<(1 + dice.below(4)) { server.grow() }
        case 9, 10: anyWindow.lifetime.turn([.next, .next, .previous, .previous, .reset][dice.below(5)])
        case 11: try await write()
        case 12: refresh()
        case 13: try await changeSession()
        case 14:
            if windows.count < windowsMax { windows.append(makeWindow()) }
            if windows.count > windowsMax / 2 { close(dice.below(windows.count)) }
            if windowsMax > 4 { while windows.count < windowsMax { windows.append(makeWindow()) } }
        case 15: try look()
        case 16:
            strikes.note(.serverDeleted)
            for _ in 0..<(1 + dice.below(4)) { server.delete() }
        case 17:
            strikes.note(.serverEdited)
            server.edit()
        case 18: try await deliver()
        case 19: try await disturb()
        default: if dice.isOne(in: 3) { try await changeAccount() }
        }
    }

    private var anyWindow: ServedWindow { windows[dice.below(windows.count)] }

    func refresh(isNewSession: Bool = false) {
        if windows.count > LiveLimits.loadsMax { strikes.note(.questionsWaited) }
        engine.refresh(isNewSession ? .newSession : .reachable)
    }

    /// Closes a list, possibly while a request for it is under way.
    private func close(_ index: Int) {
        let window = windows.remove(at: index)
        if window.loading == .loading { strikes.note(.closedWhileAsking) }
        strikes.add(window.strikes)
    }

    // MARK: Changes

    /// Messages that arrive from elsewhere leave gaps.
    private func tellSome() async throws {
        guard let first = server.messages.indices.randomElement(using: &dice.random) else { return }
        strikes.note(.toldByItself)
        let some = server.messages.dropFirst(first).prefix(1 + dice.below(3))
        // One commit for all, or one for each.
        if dice.isOne(in: 2) { return try await commit(some.map { .merge($0, at: Sample.time) }) }
        if let inboxCommitsMax, some.count > inboxCommitsMax { strikes.note(.inboxOverflowed) }
        for message in some { try await commit([.merge(message, at: Sample.time)]) }
    }

    func commit(_ mutations: [Mutation]) async throws {
        try await base.commit(mutations)
        try await completeTimeline()
        store.publish()
    }

    /// Reads the changes that a reset did not list.
    private func completeTimeline() async throws {
        let known = accounts.flatMap { $0.written + $0.server.entries.map(\.message.id) }
        try await timeline.complete(base, Array(Set(known)))
    }

    private func write() async throws {
        drafts += 1
        let draft = try Sample.draft(drafts, in: server.channel)
        _ = try await base.enqueue(draft)
        accounts[current].written.append(draft.id)
        accounts[current].undelivered.append(draft.id)
        store.publish()
    }

    /// A message of this account reaches the server, others before it.
    private func deliver() async throws {
        guard !accounts[current].undelivered.isEmpty,
            let message = try await base.message(accounts[current].undelivered.removeFirst())
        else { return }
        for _ in 0..<dice.below(3) { server.grow() }
        strikes.note(.ownDelivered)
        let serverPosition = server.accept(message.id, message.content, from: message.sender)
        try await commit([.deliver(message.id, serverPosition, at: Sample.time)])
    }

    private func disturb() async throws {
        switch dice.below(6) {
        case 0: store.failNextReads(1 + dice.below(3), with: dice.isOne(in: 2) ? .closed : .other(detail: "gone"))
        case 1: store.failNextSettlings(1)
        case 2: store.failNextCommits(1 + dice.below(2))
        case 3:
            strikes.note(.timePassed)
            runtime.pass(.seconds(dice.below(40)))
            try await settle()
            try look(isAtRest: true)
        case 4: try await prune()
        default:
            // A message is deleted here; the server learns of it at once.
            guard let any = server.messages.randomElement(using: &dice.random) else { return }
            guard let message = try await base.message(any.id), message.syncState == .synced else { return }
            strikes.note(.deletedHere)
            accounts[current].deletedHere.insert(any.id)
            let action = DeleteAction(
                at: Sample.time, by: .cli, message: any.id, channel: server.channel, type: .text, syncState: .synced,
                lastFailure: nil)
            try await commit([.delete(any.id), .recordDelete(action)])
            server.delete(any.id)
        }
    }

    /// The oldest messages are dropped here, in one commit or several.
    private func prune() async throws {
        let stored = try await base.page(MessageQuery(scope: .channel(server.channel), limit: 1000)).messages
        var rest = stored.filter { $0.syncState == .synced }.prefix(1 + dice.below(20)).map(\.id)[...]
        while !rest.isEmpty {
            strikes.note(windows.contains { $0.loading == .loading } ? .prunedWhileAsking : .pruned)
            let step = rest.prefix(1 + dice.below(20))
            rest = rest.dropFirst(step.count)
            try await commit([.prune(Array(step), of: accounts[current].session.account)])
        }
    }

    // MARK: Looking

    /// - Parameters:
    ///   - isAtRest: true if nothing is under way: then the displayed records are known since the server was asked.
    ///   - time: the time since which all of them must be known then.
    func look(isAtRest: Bool = false, since time: Int = 0) throws {
        for window in windows {
            try window.look(timeline, accounts, current)
            let known = isAtRest && window.hasLoaded ? max(time, known(window.query)) : 0
            try window.check(accounts, known: known)
        }
    }

    /// The time since which every window of the query must know the server's contents: another one may have asked for
    /// them.
    private func known(_ query: MessagesQuery) -> Int {
        windows.filter { $0.query == query }.map { $0.remote.knownTime ?? 0 }.min() ?? 0
    }

    /// Runs everything that is ready, and the resulting jobs. A list that asks the server endlessly would prevent its
    /// end.
    func settle() async throws {
        for _ in 0..<Self.jobsMax { if !(await runtime.runOne(0)) { return } }
        throw Violation("\(Self.jobsMax) jobs, and nothing comes to rest")
    }

    /// Leaves no job half finished.
    func runOut() async { for _ in 0..<Self.jobsMax where await runtime.runOne(0) {} }

    /// Far more jobs than the windows of a history need until all activity ends.
    private static let jobsMax = 5_000

    // MARK: The end

    /// The server and the store work: every list eventually shows everything.
    private func end() async throws {
        store.failNextReads(0)
        store.failNextSettlings(0)
        store.failNextCommits(0)
        try await settle()
        while windows.count > 4 { close(4) }
        server.setFailures(0)
        try await refreshAll()
        // Changes before the other pages are read are not in the first page.
        server.edit()
        for window in windows { try await showAll(window) }
        // More changes than are reported: pages are read, but not enough to cover the whole displayed range.
        if dice.isOne(in: 2) { for _ in 0..<60 { server.edit() } }
        try await refreshAll()
        let pages = windows.map(\.remote.pagesBeyondFirst).max() ?? 0
        if pages > LiveLimits.catchUpPagesMax { strikes.note(.refreshCutShort) }
        for window in windows { try await showAll(window) }
    }

    private func refreshAll() async throws {
        let time = server.time
        refresh()
        try await settle()
        try look(isAtRest: true, since: time)
        for window in windows {
            guard window.status == .fresh, window.hasLoaded else {
                throw Violation("\(window.query): it is \(window.status) and \(window.loading) at the end")
            }
        }
    }

    private func showAll(_ window: ServedWindow) async throws {
        for _ in 0..<300 where window.hasMore {
            window.lifetime.turn(.previous)
            window.lifetime.turn(.next)
            try await settle()
            try look()
        }
        let deletedHere = accounts[current].deletedHere
        let all = server.messages.filter { !deletedHere.contains($0.id) }.map(\.serverPosition.position)
        guard !window.hasMore, window.placed == all else {
            throw Violation("\(window.query): \(window.placed) of \(all), however often one pages")
        }
    }

    private func note(_ failed: TurbulentStore.Failed) {
        strikes.note(.readFailed, times: failed.reads)
        strikes.note(.settlingFailed, times: failed.settlings)
        strikes.note(.commitFailed, times: failed.commits)
    }

    // MARK: Windows

    private func makeWindow() -> ServedWindow {
        var query = anyQuery()
        // Another list of the same query need not ask.
        if dice.isOne(in: 3), !windows.isEmpty { query = anyWindow.query }
        let remote = RandomRemote(
            query, servers, store, runtime, reportsChanges: reportsChanges, changesMax: changesMax,
            fault: fault)
        return ServedWindow(query, remote, engine)
    }

    private func anyQuery() -> MessagesQuery {
        let anchor: LiveAnchor<MessageQuery.Cursor> =
            switch dice.below(5) {
            case 0, 1: .first
            case 2, 3: .last
            default: .at(MessageQuery.Cursor(position: Int64(1 + dice.below(30)), ordinal: Int64(dice.below(30))))
            }
        return MessagesQuery(
            .channel(server.channel), direction: dice.isOne(in: 2) ? .ascending : .descending, anchor: anchor,
            pageSize: 1 + dice.below(6))
    }
}
