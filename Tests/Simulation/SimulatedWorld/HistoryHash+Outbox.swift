import CausewayModels
import CausewayOutbox
import CausewayStorage

/// Hashes the machine's actions, the store's mutations, and the hub's responses, word by word.
extension HistoryHash {
    mutating func add(_ action: OutboxAction) {
        switch action {
        case .commit(let mutations):
            add(1)
            add(mutations)
        case .transmit(let batch, let mutations):
            add(2)
            add(batch)
            add(mutations)
        case .upload(let attempt, let mutations):
            add(10)
            add(attempt.number)
            add(attempt.message)
            add(mutations)
        case .cancelUpload(let number, let isAbandoned):
            add(11)
            add(number)
            add(isAbandoned)
        case .probe: add(3)
        case .fork: add(7)
        case .follow: add(8)
        case .reload: add(9)
        case .complete(let message, let result):
            add(4)
            add(message)
            add(result)
        case .completeAsStored(let message):
            add(5)
            add(message)
        }
    }

    mutating func add(_ batch: Batch) {
        add(batch.id)
        add(batch.lane.rawValue)
        add(batch.epoch)
        for operation in batch.operations {
            add(Int(operation.kind.rawValue))
            add(operation.message)
            add(operation.sequence)
            add(operation.previous)
        }
        add(batch.countedMessage?.value.low ?? 0)
    }

    private mutating func add(_ result: DeliveryResult) {
        switch result {
        case .delivered(let serverPosition): add(serverPosition)
        case .failed(let failure): add(failure)
        case .deleted: add(6)
        }
    }

    private mutating func add(_ serverPosition: ServerPosition) {
        add(serverPosition.position)
        add(serverPosition.acceptedAt)
    }

    private mutating func add(_ failure: Failure) {
        add(failure.reason.rawValue)
        add(failure.code)
        add(failure.at)
    }

    mutating func add(_ mutations: [Mutation]) {
        add(mutations.count)
        for mutation in mutations { add(mutation) }
    }

    private mutating func add(_ mutation: Mutation) {
        switch mutation {
        case .attempt(let id, let previous, let attempts, let time):
            add(10, id)
            add(previous)
            add(attempts)
            add(time)
        case .requeue(let id, let attempts, at: _):
            add(11, id)
            add(attempts)
        case .deliver(let id, let serverPosition, at: _):
            add(12, id)
            add(serverPosition)
        case .fail(let id, let failure, let inDoubt):
            add(13, id)
            add(failure)
            add(inDoubt)
        case .settle(let id): add(14, id)
        case .resend(let id, at: _): add(15, id)
        case .park(let id, let failure):
            add(19, id)
            add(failure)
        case .enqueue(let draft):
            add(28, draft.id)
            add(draft.payload.name)
        case .rewrite(let id, _): add(29, id)
        case .upload(let id, let step, at: _):
            add(31, id)
            add(step)
        case .delete(let id): add(16, id)
        case .recordDelete(let action): add(17, action.message)
        case .forkOutbox(let id, at: _):
            add(30)
            add(Int64(bitPattern: id.value.low))
        case .merge(let placed, at: _):
            add(18, placed.id)
            add(placed.serverPosition)
        default: addToChain(mutation)
        }
    }

    private mutating func add(_ step: UploadStep) {
        switch step {
        case .begin(let attempts): add(1, attempts)
        case .open(let session): add(session)
        case .progress: add(3)
        case .requeue(let session, let attempts):
            add(4, attempts)
            add(session ?? "")
        case .complete(let receipt): add(receipt)
        case .startAgain: add(6)
        }
    }

    private mutating func addToChain(_ mutation: Mutation) {
        switch mutation {
        case .putMarker(let entry):
            add(20, entry.message)
            add(Int(entry.kind.rawValue))
            add(entry.sequence)
            add(entry.previous)
        case .appendDelete(let id, let lane):
            add(21, id)
            add(lane.rawValue)
        case .attemptMarker(let sequence, let previous):
            add(22)
            add(sequence)
            add(previous)
        case .removeMarker(let sequence):
            add(23)
            add(sequence)
        case .rebase(let sequence, let previous):
            add(24)
            add(sequence)
            add(previous)
        case .setLastTransmitted(let lane, let sequence):
            add(25)
            add(lane.rawValue)
            add(sequence)
        default: add(27)  // starts and ends of sessions: hashed with the event itself
        }
    }

    private mutating func add(_ kind: Int, _ message: MessageID) {
        add(kind)
        add(message)
    }

    mutating func add(_ result: Result<DeliveryReport, TransportError>) {
        switch result {
        case .success(let report):
            add(report.mark)
            for outcome in report.outcomes { add(outcome) }
        case .failure(let error): add(error)
        }
    }

    mutating func add(_ error: TransportError) {
        switch error {
        case .unreachable(let detail): add(41, detail)
        case .notSent(let code, _): add(42, code)
        case .transient(let code, _): add(43, code)
        case .inDoubt(let detail): add(44, detail)
        case .serverFailed(let code, _): add(45, code)
        case .rateLimited(let after, _):
            add(46)
            add(after)
        case .actionRequired(let actionRequired): add(47, actionRequired.cause.rawValue)
        case .storeForked: add(48)
        case .historyChanged: add(49)
        case .refused(let code, _): add(50, code)
        }
    }

    private mutating func add(_ kind: Int, _ text: String) {
        add(kind)
        add(text)
    }

    mutating func add(_ result: Result<UploadCall.Answer, TransportError>) {
        switch result {
        case .success(.complete): add(61)
        case .success(.opened(let session)): add(62, session)
        case .success(.offset(let offset)):
            add(63)
            add(offset)
        case .success(.received(let offset)):
            add(64)
            add(offset)
        case .failure(let error): add(error)
        }
    }

    private mutating func add(_ outcome: DeliveryOutcome) {
        switch outcome {
        case .accepted(let serverPosition): add(serverPosition)
        case .fenced: add(31)
        case .deleted: add(32)
        case .refused(let code, _): add(code)
        case .unrelated: add(33)
        case .tryLater(_, _, let after): add(after ?? .zero)
        case .notAttempted: add(35)
        case .gap(let mark): add(mark)
        case .late(let mark): add(-mark)
        }
    }
}
