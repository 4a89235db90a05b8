import Causeway
import CausewayModels
import CausewaySimulatedHub
import CausewaySimulatedRuntime
import CausewayStorage

/// A copy of the hub's data, together with the witness's records about them.
struct HubBackup {
    let hub: ModelHub
    let oracle: HubOracle
    let lastStored: [ModelHub.LaneKey: Int64]
    let lastOrdinal: [ModelHub.LaneKey: Int64]
    let lastOrdinalOfDevice: [ExpectedState.Lane: Int64]
    let overtaken: [MessageID: Int64]
    let newestAdmitted: [Int: [UserID: [OutboxID: Int]]]
    let files: HubFiles
}

/// Rollbacks and replacements of the hub's data, and the checks of their consequences.
extension World {
    private static let backupsMax = 8

    /// Rolls the hub's data back by the clock, until the faults end.
    func befallHub() async {
        backUp()
        while !isHealed, runtime.now < plan.faultsEnd {
            await pass(.milliseconds(Int64.random(in: 200...6_000, using: &historyDice)))
            if Int.random(in: 0..<3, using: &historyDice) == 0 { backUp() }
            if strikes(.hubPutBack), let backup = backups.randomElement(using: &historyDice) {
                goBack(to: backup, isRestore: false)
            }
            if strikes(.hubRestored), let backup = backups.randomElement(using: &historyDice) {
                goBack(to: backup, isRestore: true)
            }
            if strikes(.hubWiped), let first = backups.first {
                goBack(to: first, isRestore: Bool.random(using: &historyDice))
            }
            if strikes(.hubReplaced) { replaceHub() }
        }
        backups = []
    }

    private func backUp() {
        // The first backup, of an empty hub, is kept.
        if backups.count == Self.backupsMax {
            backups.remove(at: Int.random(in: 1..<backups.count, using: &historyDice))
        }
        backups.append(
            HubBackup(
                hub: hub, oracle: oracle, lastStored: expected.lastStored, lastOrdinal: expected.lastOrdinal,
                lastOrdinalOfDevice: expected.lastOrdinalOfDevice, overtaken: expected.overtaken,
                newestAdmitted: network.newestAdmitted, files: hubFiles))
    }

    private func goBack(to backup: HubBackup, isRestore: Bool) {
        hasLostData = true
        noteLosses(upTo: backup.hub)
        if let objection = oracle.putBack((backup.hub, backup.oracle), to: &hub, isRestore: isRestore) {
            violated(.hubOracle, objection)
        }
        expected.lastStored = backup.lastStored
        expected.lastOrdinal = backup.lastOrdinal
        expected.lastOrdinalOfDevice = backup.lastOrdinalOfDevice
        expected.overtaken = backup.overtaken
        network.newestAdmitted = backup.newestAdmitted
        replaceFiles(backup.files)
        expected.seenOfHistory = hub.history.count
        startAgain("goes back to \(hub.history.count) operations\(isRestore ? ", by its own command" : "")")
    }

    private func replaceHub() {
        noteLosses(upTo: ModelHub())
        if let objection = oracle.replace(&hub) { violated(.hubOracle, objection) }
        expected.lastStored = [:]
        expected.lastOrdinal = [:]
        expected.lastOrdinalOfDevice = [:]
        expected.overtaken = [:]
        network.newestAdmitted = [:]
        replaceFiles(HubFiles())
        expected.seenOfHistory = 0
        startAgain("is another one")
    }

    /// Files go back with the messages.
    private func replaceFiles(_ files: HubFiles) {
        guard plan.hasFiles else { return }
        for process in processes.indices where processes[process].isWitnessed {
            countUploads(of: process, as: \.lossesInUploads)
        }
        hubFiles = files
    }

    private func startAgain(_ words: String) {
        tell(.strikes, hub.history.count) { "hub: \(words): \(hub.present.claim)" }
        guard Bool.random(using: &historyDice) else { return }
        let pause = Duration.milliseconds(Int64.random(in: 100...20_000, using: &historyDice))
        network.outageUntil = max(network.outageUntil, runtime.now + pause)
    }

    /// Records changes that are undone with the data and never sent again: edits of messages that the hub kept, and all
    /// reactions. An edit of a message that the hub lost comes back with the message.
    private func noteLosses(upTo backup: ModelHub) {
        for id in backup.accepted.keys where hub.accepted[id] == nil { expected.records[id]?.wasBroughtBack = true }
        for (id, applied) in expected.applied {
            let kept = backup.accepted[id]
            let undone = applied.subtracting(kept?.applied ?? [])
            let hasReactions = undone.contains {
                expected.records[$0]?.item.operation?.payload.reaction != nil
            }
            let isEditUndone =
                kept.map { !undone.isEmpty && $0.content != expected.lastContents[id] } ?? false
            // Operations that the present hub lacks come back; their client may have given them up meanwhile.
            let isAnyBack = !Set(kept?.applied ?? []).isSubset(of: hub.accepted[id]?.applied ?? [])
            if hasReactions || isEditUndone || isAnyBack { expected.records[id]?.hasLostOperations = true }
        }
    }

    // MARK: - At the hub's door

    /// Passes a claim to the hub.
    func meet(_ claim: ServerHistory?) -> Bool {
        let (isCurrent, objection) = oracle.meet(claim, at: &hub)
        if let objection { violated(.hubOracle, objection) }
        return isCurrent
    }

    // MARK: - At the store

    /// True when the client of the process has been told more than the hub has now, and has not detected that yet.
    func isBehind(_ process: Int) -> Bool {
        processes[process].disk.history.map { !oracle.holds($0) } ?? false
    }

    /// Checks a commit that may have switched to another history.
    func hasFollowed(_ mutations: [Mutation], from history: ServerHistory?, _ process: Int) {
        for case .followHistory(let new, _, marks: _, at: _) in mutations {
            let device = processes[process].device
            if let history, history.isSame(as: new) {
                violated(.sameHistory, "device \(device) goes over to what it knows")
            }
            processes[process].changesOfHistory += 1
            reasonsToAsk += 1
            forgetPayments(onDeviceOf: process)
            tell(.commits, process, -1) { "device \(device): goes over to \(new.claim)" }
        }
    }

    /// Records that a page reported a message as gone: an account had deleted it on the hub.
    func notePageRemoval(_ message: StoredItem, _ process: Int) {
        guard let record = expected.records[message.id], isAtHome(record, processes[process].device)
        else { return }
        expected.records[message.id]?.isGoneByPage = true
        if message.lane != nil, !expected.deletedOnHub.contains(message.id) {
            violated(.pageRemoval, "message \(record.number) was taken away by a page, and nobody had deleted it")
        }
    }

    // MARK: - At the end

    /// Reads a channel on each device that sends no idle probes: a client that sends no request cannot detect that the
    /// hub lost data.
    func lookAround() async {
        await passRefusals()
        let idleProbes = plan.devices.compactMap(\.outbox.idleProbeInterval)
        if let longest = idleProbes.max() { await pass(longest + latestTimer + .seconds(5)) }
        for device in devices.indices where plan.devices[device].outbox.idleProbeInterval == nil {
            for _ in 0..<200 {
                guard violation == nil, let channel = channels.first else { return }
                guard let (process, client) = running(device) else {
                    await pass(.seconds(1))
                    continue
                }
                do throws(ClientError) {
                    try await client.messages.refreshMessages(in: channel, limit: 1)
                    break
                } catch {
                    if case .transport(.historyChanged) = error { break }
                    if case .transport(.actionRequired(let need)) = error, need.cause == .tokenRefused {
                        await logIn(client, process)
                    }
                }
                await pass(.seconds(2))
            }
        }
        await pass(.seconds(5))
        haveAllLooked = true
    }

    /// Passes the time until the hub refuses nobody any more and every client has probed it since: a client that is
    /// refused cannot detect that the hub lost data.
    func passRefusals() async {
        let last = network.refusedTokens.values.compactMap(\.self).reduce(network.mismatchUntil, max)
        if last <= runtime.now { return }
        await pass(last - runtime.now + .seconds(20))
    }

    /// Checks that each change of history was reported exactly once.
    func checkNotices(_ client: CausewayClient, _ process: Int, isLast: Bool = false) async {
        guard plan.hasLosses, let status = try? await client.status(), isRunning(process) else { return }
        let told = status.notices.count { $0.kind == .serverRestored || $0.kind == .serverReplaced }
        let isFull = status.notices.count >= 8
        // An idle probe may have detected a loss in this moment: the notice follows when the commit has returned.
        guard told == processes[process].changesOfHistory || isFull || isLast else {
            await pass(.seconds(20))
            return await checkNotices(client, process, isLast: true)
        }
        if told != processes[process].changesOfHistory, !isFull {
            violated(.notices, "\(processes[process].changesOfHistory) changes of history were told \(told) times")
        }
    }

    /// Checks that every client has detected the hub's losses, and that messages deleted on the hub are gone.
    func checkLosses(_ isLast: Bool) {
        for device in devices.indices {
            guard let (process, _) = running(device) else { continue }
            if isBehind(process) { violated(.unseenLoss, "device \(device) still believes in what the hub has lost") }
        }
        guard isLast, !devices.contains(where: \.wasCopied) else { return }
        for id in expected.created where expected.deletedOnHub.contains(id) && hub.holds(id) {
            violated(.deletedOnHub, "message \(expected.number(id)) was deleted on the hub, and is there again")
        }
    }

    // MARK: - The feed, and planted faults

    /// Returns the commit, or a reset in its place.
    func blurred(_ commit: StoreCommit) -> StoreCommit {
        if plan.plantedFault == .hidesFeedResets, commit.isReset || strikes(.feedReset) {
            return StoreCommit(version: commit.version, changes: [], isReset: false)
        }
        // A reset causes commits of its own: resets in immediate succession would keep every request from being
        // completed.
        guard runtime.now - lastFeedReset >= Plan.feedResetSpacing, strikes(.feedReset) else { return commit }
        lastFeedReset = runtime.now
        return StoreCommit(version: commit.version, changes: [], isReset: true)
    }

    func tamperedHistory(_ mutations: [Mutation], _ process: Int) -> [Mutation] {
        switch plan.plantedFault {
        case .redeliversInDisorder:
            for case .followHistory(_, _, let marks, let time) in mutations {
                let lost = processes[process].disk.contents.items.compactMap(\.message).filter {
                    $0.isLost(by: marks)
                }
                guard let first = lost.first, lost.dropFirst().contains(where: { $0.lane == first.lane })
                else { break }
                return mutations + [.resend(first.id, at: time)]
            }
            return mutations
        case .keepsWhatIsLost:
            return mutations.map { mutation in
                guard case .followHistory(let history, let id, _, let time) = mutation else {
                    return mutation
                }
                let lanes = Set(processes[process].disk.contents.items.compactMap(\.lane))
                let marks = Dictionary(uniqueKeysWithValues: lanes.map { ($0, Limits.sequenceMax - 1) })
                return .followHistory(history, id, marks: marks, at: time)
            }
        case .forgetsRepeatedDeletions:
            return mutations.contains { !$0.isRepeatedDeletion } ? mutations : []
        default: return mutations
        }
    }
}

extension Message {
    fileprivate func isLost(by marks: [LaneID: Int64]) -> Bool {
        syncState == .synced && lane != nil && isBehind(marks)
    }
}

extension Mutation {
    /// True for the mutations that repeat deletions.
    fileprivate var isRepeatedDeletion: Bool {
        switch self {
        case .appendDelete, .keepHistory: true
        default: false
        }
    }
}
