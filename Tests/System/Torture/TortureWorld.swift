import Causeway
import CausewayControlAPI
import CausewayControlClient
import CausewayModels
import CausewayTestSupport
import Foundation

/// A daemon that is killed again and again, the hub that it sends to, and the senders that use it.
struct TortureWorld: Sendable {
    let plan: TorturePlan
    let processes: ProcessWorld
    let channel: ChannelID
    let expectations = TortureExpectations()
    let gate = Gate()
    /// Between daemon and hub, when the plan has one.
    let proxy: FaultProxy?

    struct Outcome: Sendable {
        let plan: TorturePlan
        let evidence: Evidence
        let tally: TortureTally
        /// The violations.
        let verdicts: [Verdict]
        /// The daemon's log, for the search for causes.
        let log: String
    }

    struct Contradiction: Error { let what: String }

    /// - Parameter progress: called after each kill.
    static func run(_ plan: TorturePlan, progress: @Sendable (TorturePlan) -> Void = { _ in }) async throws -> Outcome {
        guard let channel = ChannelID("general") else { preconditionFailure("a fixed name is a name") }
        let configuration = plan.hasFileStore ? #"{"storage": "file"}"# : "{}"
        return try await ProcessWorld.run(configuration: configuration) { processes in
            try await processes.startHub()
            guard plan.hasProxy else {
                let world = TortureWorld(plan: plan, processes: processes, channel: channel, proxy: nil)
                return try await world.run(through: nil, progress)
            }
            return try await FaultProxy.run(to: processes.port) { proxy, port in
                let world = TortureWorld(plan: plan, processes: processes, channel: channel, proxy: proxy)
                return try await world.run(through: port, progress)
            }
        }
    }

    private func run(through port: Int?, _ progress: @Sendable (TorturePlan) -> Void) async throws -> Outcome {
        try await startDaemon()
        try await processes.login(through: port)
        await processes.endDaemon()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 1...4 {
                let sender = TortureSender(
                    number: number, way: number <= 2 ? .commandLine : .socket, world: processes, gate: gate,
                    expectations: expectations, channel: channel)
                group.addTask { try await sender.run(seed: plan.seed) }
            }
            do {
                try await killAgainAndAgain(progress)
            } catch {
                gate.end()
                throw error
            }
            gate.end()
            try await group.waitForAll()
        }
        if let contradiction = expectations.contradiction { throw Contradiction(what: contradiction) }
        try await gatherEvidence()
        let evidence = expectations.evidence
        return Outcome(
            plan: plan, evidence: evidence, tally: expectations.tally, verdicts: Verdict.all(evidence),
            log: processes.daemonLog)
    }

    // MARK: - Killing

    private func killAgainAndAgain(_ progress: @Sendable (TorturePlan) -> Void) async throws {
        var generator = SplitMix64(seed: plan.seed)
        for kill in 1...plan.kills {
            if let plantedFault = plan.plantedFault, kill == (plan.kills + 1) / 2 {
                try await lose(plantedFault)
            } else {
                try await killOnce(
                    plan.moment(&generator), plan.trouble(&generator), isResending: kill.isMultiple(of: 3))
            }
            progress(plan)
        }
    }

    private func killOnce(
        _ moment: TorturePlan.KillTime, _ trouble: TorturePlan.Trouble, isResending: Bool
    ) async throws {
        try await processes.beginDaemon(restart: plan.restart.rawValue, settings: Self.settings)
        var hubDied = false
        switch moment {
        case .starting(let time): await Eventually.pass(time)
        case .working(let time):
            try await processes.daemonListens()
            gate.open()
            if isResending { await resendFailed() }
            await Eventually.pass(time)
            await look()
            hubDied = try await cause(trouble)
        }
        let wasListening = await processes.isListening
        let underWay = expectations.underWay
        gate.shut()
        await processes.endDaemon(SIGKILL)
        // Only for the tally: a command that found no daemon may be using the store already.
        let image = try? await StoreImage(of: processes.store, scratch: processes.folder + "/image")
        count(image, wasListening, underWay)
        try await proxy?.use(.none)
        if hubDied { try await processes.startHub() }
    }

    /// - Returns: whether the hub is dead now.
    private func cause(_ trouble: TorturePlan.Trouble) async throws -> Bool {
        switch trouble {
        case .none: return false
        case .hubDies(let before):
            await processes.endHub(SIGKILL)
            expectations.change { $1.hubKills += 1 }
            await Eventually.pass(before)
            return true
        case .answersLost(let time):
            try await proxy?.use(.lostResponse)
            expectations.change { $1.lostAnswers += 1 }
            await Eventually.pass(time)
        case .cut(let time):
            try await proxy?.use(.refuse)
            try await proxy?.use(.none)
            expectations.change { $1.cuts += 1 }
            await Eventually.pass(time)
        }
        return false
    }

    private func count(_ image: StoreImage?, _ wasListening: Bool, _ underWay: Int) {
        let isSending = image?.isSending ?? false
        let phase: TortureTally.Phase =
            if !wasListening {
                .starting
            } else if isSending {
                .sending
            } else if underWay > 0 || image?.isLoaded ?? false {
                .loaded
            } else {
                .idle
            }
        expectations.change { _, tally in
            tally.kills[phase, default: 0] += 1
            if underWay > 0 { tally.killsWhileTaking += 1 }
            if underWay > 0 || isSending { tally.killsInFlight += 1 }
        }
    }

    // MARK: - Users of the daemon

    /// Records the messages that a user sees as synced.
    private func look() async {
        await withControl { client throws(ControlError) in
            let page = try await client.messages(
                ChannelQuery(channel: channel, range: PageRange(limit: 200), refresh: .never))
            let synced = page.messages.filter { $0.state == SyncState.synced.rawValue }.map(\.id)
            expectations.change { evidence, _ in evidence.shownSynced.formUnion(synced) }
        }
    }

    private func resendFailed() async {
        await withControl { client throws(ControlError) in
            let failed = try await client.failed(in: nil, PageRange(limit: 500)).messages.map(\.id)
            guard !failed.isEmpty else { return }
            // Recorded first: they may have moved even if the response is lost.
            expectations.change { evidence, tally in
                evidence.resent.formUnion(failed)
                tally.resends += 1
            }
            _ = try await client.resend(failed)
        }
    }

    /// Calls the daemon; ignores a failure because it was killed meanwhile.
    private func withControl(_ ask: (ControlClient) async throws(ControlError) -> Void) async {
        guard let client = try? ControlClient(socketPath: processes.socket) else { return }
        do throws(ControlError) { try await ask(client) } catch {}
        await client.close()
    }

    // MARK: - Losing on purpose

    /// Enqueues messages while the hub is down, kills the daemon, and then damages its store.
    private func lose(_ plantedFault: TorturePlan.PlantedFault) async throws {
        try await noCallIsUnderWay()
        await processes.endHub(SIGKILL)
        let copy = processes.folder + "/older"
        try StoreImage.copy(from: processes.store, to: copy)
        try await startDaemon()
        let before = Set(expectations.evidence.accepted.keys)
        gate.open()
        try await Eventually.holds("messages are taken") { expectations.evidence.accepted.count >= before.count + 50 }
        gate.shut()
        try await noCallIsUnderWay()
        await processes.endDaemon(SIGKILL)
        switch plantedFault {
        case .restoresOlderStore: try StoreImage.restore(from: copy, to: processes.store)
        case .deletesRow:
            let new = Set(expectations.evidence.accepted.keys).subtracting(before)
            guard try await StoreImage.deleteOne(of: new, in: processes.store) else {
                throw Contradiction(what: "no message waits in the store")
            }
        }
        expectations.change { $1.kills[.loaded, default: 0] += 1 }
        try await processes.startHub()
    }

    private func noCallIsUnderWay() async throws {
        try await Eventually.holds("all calls have returned") { expectations.underWay == 0 }
    }

    // MARK: - The end

    private func gatherEvidence() async throws {
        try await startDaemon()
        try await drained()
        await processes.endDaemon()
        let quiet = try await StoreImage(of: processes.store, scratch: processes.folder + "/image").states
        let there = try await hubContents()
        expectations.change { evidence, _ in
            evidence.storeBeforeResend = quiet
            evidence.hubBeforeResend = Set(there.map(\.id))
        }
        try await startDaemon()
        try await resendEverything()
        await processes.endDaemon()
        let last = try await StoreImage(of: processes.store, scratch: processes.folder + "/image").states
        let hub = try await hubContents()
        expectations.change { evidence, tally in
            evidence.store = last
            evidence.hub = hub
            tally.onTheHub += hub.count
            tally.resent += evidence.resent.count
        }
    }

    private func hubContents() async throws -> [Evidence.Placed] {
        try await processes.messagesOnTheHub().map { shown in
            guard let id = MessageID(shown.id), let line = TortureLine(shown.text) else {
                throw Contradiction(what: "the hub holds “\(shown.text.prefix(40))”")
            }
            return Evidence.Placed(id: id, line: line)
        }
    }

    private func resendEverything() async throws {
        let client = try ControlClient(socketPath: processes.socket)
        // A message that was in doubt twice may fail once more after its resend.
        for _ in 1...10 {
            try await drained()
            guard try await client.status().counts.error > 0 else { break }
            await resendFailed()
        }
        try await Eventually.holds("nothing is left to resend") {
            await resendFailed()
            return try await client.status().counts.undelivered == 0
        }
        await client.close()
    }

    /// Waits until nothing is in flight and no fence is open.
    private func drained() async throws {
        let client = try ControlClient(socketPath: processes.socket)
        try await Eventually.holds("everything has an end") {
            let status = try await client.status()
            return status.counts.waiting == 0 && status.lanes.allSatisfy { $0.depth == 0 }
        }
        await client.close()
    }

    private func startDaemon() async throws {
        try await processes.startDaemon(restart: plan.restart.rawValue, settings: Self.settings)
    }

    /// The same rules, in a fraction of the time.
    private static let settings = [
        "CAUSEWAY_SETTLING_TIME": "5ms", "CAUSEWAY_RETRY_INTERVAL": "50ms", "CAUSEWAY_LOG_LEVEL": "notice",
    ]
}
