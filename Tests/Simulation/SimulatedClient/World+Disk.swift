import CausewayModels
import CausewayOutbox
import CausewaySimulatedRuntime
import CausewayStorage

/// The disks: their latency, their failures, and the witness's checks of their content.
extension World {
    /// Delays or fails a commit before it is made. Keeps the commits of a process in their order.
    func reachDisk(_ process: Int) async throws(StoreError) {
        let device = processes[process].device
        let latency = diskLatency(device)
        if latency > .zero {
            let earliest = processes[process].diskBusyUntil + .nanoseconds(1)
            processes[process].diskBusyUntil = max(runtime.now + latency, earliest)
            await runtime.pause(until: processes[process].diskBusyUntil)
        } else if processes[process].diskBusyUntil > runtime.now {
            processes[process].diskBusyUntil = processes[process].diskBusyUntil + .nanoseconds(1)
            await runtime.pause(until: processes[process].diskBusyUntil)
        }
        if processes[process].life == .dead { throw .closed }
        if strikes(.crashBeforeCommit) {
            crash(process)  // a process that runs beside a copy of its store goes on
            if processes[process].life == .dead { throw .closed }
        }
        if devices[device].diskFullUntil > runtime.now {
            noteRejection(process)
            throw .full(detail: "simulated")
        }
        if strikes(.commitFails) {
            processes[process].disk.failNextCommits(between(1, 3), with: .other(detail: "simulated"))
        }
        failDisk(process)
        if plan.plantedFault == .losesAcknowledgedCommits {
            processes[process].beforeLastCommit = processes[process].disk.afterCrash()
        }
    }

    func reachForReading(_ process: Int) async throws(StoreError) {
        let latency = diskLatency(processes[process].device)
        if latency > .zero { await pass(latency) }
        if processes[process].life == .dead { throw .closed }
        if strikes(.readFails) {
            processes[process].lastRejectedRead = runtime.now
            throw .other(detail: "simulated: a read failed")
        }
    }

    /// Delays the return to the store's caller.
    func returnFromDisk(_ process: Int) async throws(StoreError) {
        if strikes(.crashAfterCommit) { crash(process) }
        let latency = diskLatency(processes[process].device)
        if latency > .zero { await pass(latency) }
        if processes[process].life == .dead { throw .closed }
    }

    private func diskLatency(_ device: Int) -> Duration {
        if devices[device].diskSlowUntil > runtime.now { return between(.milliseconds(1), Plan.slowCommitMax) }
        return plan.diskLatencyMax > .zero ? between(.zero, plan.diskLatencyMax) : .zero
    }

    // MARK: - The feed

    /// Subscribes to the store of a process like any subscriber.
    func follow(_ process: Int, _ store: DeviceStore) {
        processes[process].mirrorFeed = store.inner.subscribe { [self] commit in
            passOn(commit) { [self] commit in feedBrings(commit, of: process) }
        }
    }

    /// Notifies a subscriber of a commit, or applies a planted fault.
    func passOn(_ commit: StoreCommit, to subscriber: (StoreCommit) -> Void) {
        if lies(.losesFeedCommits, oneIn: 50) { return }
        subscriber(commit)
        if lies(.repeatsFeedCommits, oneIn: 50) { subscriber(commit) }
    }

    private func feedBrings(_ commit: StoreCommit, of process: Int) {
        guard processes[process].isWitnessed else { return }
        tally.commits += 1
        let device = processes[process].device
        if let broken = processes[process].mirror.fold(commit) {
            return violated(.feed, "the feed of device \(device) does not add up: \(broken)")
        }
        let recorded = Set(commit.changes.compactMap(\.deletedByPeople))
        for change in commit.changes {
            if case .session(let session) = change { devices[device].session = session }
            if let id = change.deletedByPeople, let user = devices[device].session?.user {
                devices[device].deletedHere[user, default: []].insert(id)
            }
            let (before, after) = change.items
            guard before != nil || after != nil else { continue }
            if let before, after == nil, before.syncState == .synced, !recorded.contains(before.id) {
                notePageRemoval(before, process)
                continue
            }
            note(before, after, process, isReset: commit.isReset)
        }
        tell(.commits, process, commit.changes.count) { "device \(device): \(commit.told(expected))" }
    }

    /// Checks the change of one message in the store that owns it.
    func note(_ before: StoredItem?, _ after: StoredItem?, _ process: Int, isReset: Bool) {
        let device = processes[process].device
        guard let id = (after ?? before)?.id else { return }
        if before == nil, let after {
            if after.lane != nil, expected.records[id] == nil { expected.take(after, device: device) }
            // That it is on another device, or with another account, says nothing about where it was created.
            if let record = expected.records[id], isAtHome(record, device) {
                expected.records[id]?.isGoneByPage = false
            }
            if let record = expected.records[id], record.isDeleted, isAtHome(record, device) {
                violated(.deletedReturns, "message \(record.number) was deleted, and is back on device \(device)")
            }
        }
        if let before, after == nil {
            processes[process].attempted.remove(id)
            noteRemoval(before, process)
        }
        if let before, let after {
            if before.syncState == .synced, after.syncState != .synced {
                violated(.syncedStays, "\(id) was synced, and is no more")
            }
            noteAttempt(before, after, process)
            checkAttempts(after, process)
            if after.isFailedForGood, !before.isFailedForGood { expected.records[id]?.failedForGoodAt = runtime.now }
            // After a reset everything gets new positions, in the order of the old ones.
            if !isReset, before.laneSequence != after.laneSequence { expected.records[id]?.resends += 1 }
        }
        if let after, after.lane != nil, after.attempts > plan.devices[device].outbox.retry.retriesMax + 1 {
            violated(.attemptsMax, "message \(expected.number(id)) is tried \(after.attempts) times")
        }
    }

    /// Checks that a message was removed from a store only on request.
    private func noteRemoval(_ message: StoredItem, _ process: Int) {
        guard let record = expected.records[message.id], isAtHome(record, processes[process].device)
        else { return }
        expected.records[message.id]?.isDeleted = true
        expected.records[message.id]?.deletedAt = runtime.now
        if message.syncState == .uploading { tally.deletionsInUploads += 1 }
        // An operation is removed when it was accepted or folded, or when its message is removed.
        let isAskedFor =
            record.isDeletionWanted || !message.createsMessage
            || message.syncState == .error && processes[process].bulkDeletions > 0
        let isTransmitted = message.previousSequence != nil || message.isInDoubt
        if let target = message.target, isTransmitted,
            record.isDeletionWanted || processes[process].bulkDeletions > 0
        {
            // Deleting an operation that has been sent does not undo its effect on the hub.
            expected.records[target]?.hasLostOperations = true
        }
        if !isAskedFor {
            violated(.unaskedDeletion, "message \(record.number) was deleted, and nobody had asked for it")
        }
    }

    /// A process that goes on beside a copy of its store completes a deletion of all failed messages; the copy, which
    /// the witness follows, may have sent them meanwhile, and finds them deleted on the hub.
    func noteDeletionsBesideACopy(_ mutations: [Mutation], _ process: Int) {
        guard !processes[process].isWitnessed, processes[process].bulkDeletions > 0 else { return }
        for case .recordDelete(let action) in mutations {
            expected.records[action.message]?.isDeletionWanted = true
        }
    }

    // MARK: - Planted fault

    private func withoutPayment(_ mutation: Mutation) -> Mutation {
        guard plan.plantedFault == .killersGoFree,
            case .attempt(let id, let previous, let attempts, let time) = mutation,
            Trait(of: id) == .lethal
        else { return mutation }
        return .attempt(id, previous: previous, attempts: max(0, attempts - 1), at: time)
    }

    func tampered(_ mutations: [Mutation], _ process: Int) -> [Mutation] {
        guard let plantedFault = plan.plantedFault else { return mutations }
        return tamperedHistory(mutations, process).map(withoutPayment).compactMap(tamperedUpload).filter { mutation in
            switch (plantedFault, mutation) {
            case (.forgetsDeletions, .recordDelete), (.losesFences, .putMarker), (.losesAttempts, .attempt): false
            case (.forgetsHistory, .keepHistory): false
            case (.keepsAnsweredFences, .removeMarker): between(0, 3) != 0
            default: true
            }
        }
    }
}

extension RecordChange {
    /// The message whose deletion was requested here.
    fileprivate var deletedByPeople: MessageID? {
        if case .deleteAction(let action) = self { action.message } else { nil }
    }
}

extension StoreCommit {
    func told(_ expected: ExpectedState) -> String {
        let words = changes.map { change in
            switch change {
            case .message, .operation:
                "message \(expected.number((change.items.after ?? change.items.before)?.id)) "
                    + "\(change.items.before?.told ?? "-") → \(change.items.after?.told ?? "-")"
            case .marker(let before, let after):
                "link \((after ?? before)?.sequence ?? 0) of message \(expected.number((after ?? before)?.message)) "
                    + "\(before?.told ?? "-") → \(after?.told ?? "-")"
            case .record(let before, let after): "record \((after ?? before)?.id ?? "")"
            case .deleteAction(let action): "deletion of \(expected.number(action.message)) noted"
            case .session(let session): session.isActive ? "\(session.user) logs in" : "\(session.user) logs out"
            }
        }
        return "commit \(version): " + (isReset ? "reset " : "") + words.joined(separator: "; ")
    }
}

extension Deliverable {
    var told: String {
        "\(syncState)#\(laneSequence)"
            + (previousSequence.map { "<\($0)" } ?? "") + (isInDoubt ? "?" : "")
            + (failure.map { " (\($0.reason) \($0.code))" } ?? "")
    }
}

extension ChainMarker {
    fileprivate var told: String { "\(kind)#\(sequence)" + (previous.map { "<\($0)" } ?? "") }
}

extension ExpectedState {
    func number(_ id: MessageID?) -> Int { id.map { number($0) } ?? 0 }
}
