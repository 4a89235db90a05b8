import CausewayModels
import CausewayOutbox
import CausewaySimulatedHub
import CausewaySimulationKernel
import CausewayStorage

/// A copy of the hub's data, together with the witness's records about them.
struct HubBackup {
    let hub: ModelHub
    let oracle: HubOracle
    let files: ModelFiles
    let lastStored: [ModelHub.LaneKey: Int64]
    let highestEpochs: [ExpectedState.OutboxKey: Int64]
    let highestMarks: [ExpectedState.OutboxKey: [LaneID: Int64]]
    let newestBirths: [ExpectedState.OutboxKey: Int]
}

/// A probe of a client.
struct ProbeCall {
    var client: Int
    var process: Int
    var number: Int
    var account: UserID?
    /// The history that it names.
    var history: ServerHistory?
    var outbox: OutboxID
}

/// The hub's answer to a probe.
struct ProbeAnswer {
    /// The present history; `nil` in a world whose hub loses nothing.
    var history: ServerHistory?
    /// The marks of the outbox, and the openings that moved them, when the probe did not name the present history.
    var marks: [LaneID: Int64]?
    var movers: [LaneID: OpeningID] = [:]
}

/// Messages that the hub reports to a client, by its event stream or as a page.
struct News {
    var messages: [RemoteMessage]
    /// The hub's history when it reported them, and the one that the client knew when it asked.
    var history: ServerHistory?
    var named: ServerHistory?
}

/// The hub's side of a change of its history: its data are copied, put back, or replaced.
extension SimulatedWorld {
    private static let backupsMax = 8

    /// The history that a response names; `nil` in a world whose hub loses nothing.
    var presentHistory: ServerHistory? { plan.hasLosses ? oracle.name(hub) : nil }

    func hubAges() {
        if areFaultsOver {
            backups = []
            return
        }
        if backups.isEmpty || randomness.backup(in: 0..<3) == 0 { backUp() }
        loseData()
        queue.plan(.hubAges, at: now + randomness.pauseOfHub())
    }

    /// Draws whether the hub loses data now: now and then, and when a response has left.
    func loseData() {
        guard plan.hasLosses else { return }
        if strikes(.hubRestored), let backup = randomness.one(of: backups) { goBack(to: backup, isRestore: true) }
        if strikes(.hubPutBack), let backup = randomness.one(of: backups) { goBack(to: backup, isRestore: false) }
        if strikes(.hubReplaced) { replaceHub() }
    }

    /// Notes the messages that have failed when the hub stores a later one of their lane.
    func noteOvertaken(by stored: ModelHub.Stored) {
        guard plan.hasLosses, let later = expected.records[stored.message] else { return }
        let store = clients[later.client].store
        for id in store.failed where store.items[id]?.lane == stored.key.lane {
            guard let record = expected.records[id], record.sender == later.sender, record.ordinal < later.ordinal
            else { continue }
            expected.records[id]?.overtakenBy = max(record.overtakenBy, later.ordinal)
        }
    }

    private func backUp() {
        // The first backup, of an empty hub, is kept.
        if backups.count == Self.backupsMax { backups.remove(at: randomness.backup(in: 1..<backups.count)) }
        backups.append(
            HubBackup(
                hub: hub, oracle: oracle, files: files, lastStored: expected.lastStored,
                highestEpochs: expected.highestEpochs, highestMarks: expected.highestMarks,
                newestBirths: expected.newestBirths))
    }

    private func goBack(to backup: HubBackup, isRestore: Bool) {
        noteLosses(upTo: backup.hub)
        let objection = oracle.putBack((backup.hub, backup.oracle), to: &hub, isRestore: isRestore)
        if violation == nil { violation = objection }
        expected.lastStored = backup.lastStored
        expected.highestEpochs = backup.highestEpochs
        expected.highestMarks = backup.highestMarks
        expected.newestBirths = backup.newestBirths
        files.goBack(to: backup.files)
        startAgain("goes back to \(hub.history.count) operations\(isRestore ? ", by its own command" : "")")
    }

    private func replaceHub() {
        noteLosses(upTo: ModelHub())
        let objection = oracle.replace(&hub)
        if violation == nil { violation = objection }
        expected.lastStored = [:]
        expected.highestEpochs = [:]
        expected.highestMarks = [:]
        expected.newestBirths = [:]
        files.goBack(to: ModelFiles(plantedFault: plan.plantedFault))
        startAgain("is another one")
    }

    private func startAgain(_ words: String) {
        hubAge += 1
        hash.add(hub.present.claim)
        history.record(now, "hub: \(words): \(hub.present.claim)")
        guard !troubles.contains(.hubDown), randomness.isLikely(500) else { return }
        begin(.hubDown, for: randomness.between(.milliseconds(100), .seconds(20)))
    }

    /// Records changes that are undone with the data and never sent again: edits of messages that the hub kept, and all
    /// reactions. An edit of a message that the hub lost comes back with the message. Operations that the present hub
    /// lacks come back; their client may have given them up meanwhile.
    private func noteLosses(upTo backup: ModelHub) {
        for (id, applied) in expected.applied {
            let kept = backup.accepted[id]
            let undone = applied.subtracting(kept?.applied ?? [])
            let hasReactions = undone.contains { expected.records[$0]?.change?.reaction != nil }
            let isEditUndone = kept.map { !undone.isEmpty && $0.content != expected.lastContents[id] } ?? false
            let isAnyBack = !Set(kept?.applied ?? []).isSubset(of: hub.accepted[id]?.applied ?? [])
            if hasReactions || isEditUndone || isAnyBack { expected.wanted[id]?.isSpoiled = true }
        }
    }

    /// Records an operation that the hub has applied.
    func noteApplied(_ id: MessageID) {
        guard plan.hasLosses, let target = hub.accepted[id]?.target else { return }
        expected.applied[target, default: []].insert(id)
        expected.lastContents[target] = hub.accepted[target]?.content
    }

    /// Passes a claim to the hub.
    ///
    /// - Returns: true if it is of the present history.
    func meet(_ claim: ServerHistory?) -> Bool {
        let former = hub.present.id
        let (isCurrent, objection) = oracle.meet(claim, at: &hub)
        if violation == nil { violation = objection }
        if hub.present.id != former { history.record(now, "hub: begins \(hub.present.id)") }
        return isCurrent
    }

    /// The hub's answer to a probe that it does not refuse.
    func greeting(of call: ProbeCall) -> ProbeAnswer {
        guard plan.hasLosses, let account = call.account else { return ProbeAnswer() }
        let isCurrent = meet(call.history)
        var answer = ProbeAnswer(history: presentHistory)
        if isCurrent { return answer }
        let marks = hub.marks(of: call.outbox, account: account)
        let movers = hub.movers(of: call.outbox, account: account)
        if violation == nil {
            violation =
                oracle.objection(toMarks: marks, of: call.outbox, account)
                ?? oracle.objection(toMovers: movers, of: call.outbox, account)
        }
        (answer.marks, answer.movers) = (marks, movers)
        return answer
    }
}
