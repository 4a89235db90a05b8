import Causeway
import CausewayModels
import CausewaySimulatedHub
import CausewaySimulatedRuntime
import CausewaySimulationKernel
import CausewayStorage

/// Compares the client's reports to users with the actual state. Results of a process that is gone do not count: no
/// user saw them.
extension World {
    /// Checks an accepted message: it is in the store, and can be read at once.
    func witnessAccepted(_ message: Message, _ process: Int) {
        tally.created += 1
        guard let record = expected.records[message.id] else {
            return violated(.accepted, "a message was accepted, and no store has it")
        }
        expected.records[message.id]?.isAccepted = true
        tell(.accepted, process, record.number) {
            "device \(record.device): message \(record.number) is accepted as #\(message.laneSequence)"
        }
        // Its creator may be told late, when another device has deleted it on the hub.
        if processes[process].mirror.items[message.id] == nil, !record.isDeleted, !record.isGoneByPage,
            isHome(record, process)
        {
            violated(.accepted, "message \(record.number) was accepted, and cannot be read")
        }
    }

    /// Checks a deleted message: it can no longer be read.
    func witnessDeleted(_ id: MessageID, _ process: Int) {
        if processes[process].mirror.items[id] != nil {
            violated(.deletedGone, "message \(expected.number(id)) is said to be deleted, and is there")
        }
    }

    /// Checks that a result is true, and that its recipient can already read it.
    func witnessResult(
        _ result: Result<ServerPosition, DeliveryError>, of id: MessageID, _ process: Int, mayBeUnknown: Bool
    ) {
        if processes[process].life == .closing, !mayBeUnknown, case .failure(.unknown) = result,
            plan.devices[processes[process].device].accounts.count == 1
        {
            violated(.closedWait, "a wait that the end of a client cut off is told cancelled")
        }
        guard isRunning(process) else { return }
        tally.results += 1
        // A wait for a message of an account that has logged out ends with an error.
        if let record = expected.records[id], !isHome(record, process) { return }
        let number = expected.number(id)
        let stored = processes[process].mirror.items[id]
        tell(.told, process, number) {
            "device \(processes[process].device): message \(number) is told \(result)"
        }
        switch result {
        case .success(let serverPosition):
            let isLost = hub.accepted[id]?.serverPosition != serverPosition
            if isLost, !oracle.wasGiven(serverPosition, to: id) {
                violated(.toldSynced, "message \(number) is told synced; the hub denies it")
            }
            // A change of history may queue a message again that the hub still has.
            let isQueuedAgain = processes[process].changesOfHistory > 0 && stored?.isPending == true
            if let stored,
                stored.message?.serverPosition != serverPosition || stored.syncState != .synced, !isLost,
                !isQueuedAgain
            {
                violated(.toldSynced, "message \(number) is told synced, and reads \(stored.told)")
            }
            if stored == nil, !isDeleted(id) {
                violated(.toldSynced, "message \(number) is told synced, and is not there")
            }
        case .failure(.failed):
            guard let stored else {
                if !isDeleted(id) { violated(.toldFailed, "message \(number) is told failed, and is not there") }
                return
            }
            // Without a session the hub is not asked; after the next login the result may change.
            if case .failure(.failed(let failure)) = result, failure.reason == .sessionEnded,
                stored.syncState == .synced
            {
                return
            }
            let isSentAgain = stored.isPending && (expected.records[id]?.resends ?? 0) > 0
            if stored.syncState != .error, !isSentAgain {
                violated(.toldFailed, "message \(number) is told failed, and reads \(stored.told)")
            }
        case .failure(.deleted):
            if stored != nil { violated(.toldDeleted, "message \(number) is told deleted, and is there") }
        case .failure(.notCreated): violated(.toldNothing, "a created message is told not created")
        case .failure(.unknown), .failure(.clientClosed):
            if !mayBeUnknown { violated(.toldNothing, "a wait for message \(number) ended without a result") }
        }
    }

    private func isDeleted(_ id: MessageID) -> Bool {
        guard let record = expected.records[id] else { return true }
        return record.isDeleted || record.isDeletionWanted
    }

    // MARK: - Completions

    /// Records a completion that was passed along with a message.
    func witnessCompletion(_ ticket: Int, expectedOf id: MessageID, _ process: Int) {
        completions[ticket, default: Completion()].message = id
        completions[ticket]?.process = process
    }

    /// Checks a call of a completion.
    func witnessCompletion(
        _ ticket: Int, _ result: Result<ServerPosition, DeliveryError>, _ process: Int, mayBeUnknown: Bool
    ) {
        guard isRunning(process) else { return }
        completions[ticket, default: Completion()].calls += 1
        if completions[ticket]?.calls != 1 { violated(.repeatedCompletion, "a completion was called twice") }
        guard let id = completions[ticket]?.message else { return }
        witnessResult(result, of: id, process, mayBeUnknown: mayBeUnknown)
    }

    // MARK: - Errors

    /// The longest delay of a timer that was set before the recovery.
    var latestTimer: Duration { plan.likelihoods[.lateTimer] > 0 ? Plan.lateTimerMax : .zero }

    /// Checks that an error shown to a user has a cause that the user can know.
    func witnessError(_ error: ClientError, _ process: Int) {
        guard isRunning(process) else { return }
        let isFine =
            switch error {
            case .store(.closed), .closed: false
            // The engine repeats a commit after a moment, or when its delayed timer fires.
            case .store: !isHealed || runtime.now - healedAt < .seconds(5) + latestTimer
            case .noSession: true
            case .messageNotFound, .notAMessage, .typeDiffers, .tooManyOperations: true
            case .sessionExists, .notFailed, .overtaken, .notAuthor, .transport: true
            case .blob, .content, .credentials, .notSupported, .windowFull: false
            }
        if !isFine { violated(.errors, "somebody was told without a cause: \(error)") }
    }
}

/// A completion closure that was passed with a message.
struct Completion {
    var message: MessageID?
    var process = 0
    var calls = 0
}
