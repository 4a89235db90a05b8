import CausewayModels
import CausewayStorage

extension Mutation {
    /// A short description for histories.
    var told: String? {
        switch self {
        case .attempt(let id, let previous, let attempts, at: _):
            "attempt \(id.value.low) after \(previous) #\(attempts)"
        case .requeue(let id, let attempts, at: _): "requeue \(id.value.low) #\(attempts)"
        case .deliver(let id, _, at: _): "deliver \(id.value.low)"
        case .fail(let id, let failure, let inDoubt):
            "fail \(id.value.low) \(failure.reason.rawValue)\(inDoubt ? " in doubt" : "")"
        case .settle(let id): "settle \(id.value.low)"
        case .resend(let id, at: _): "resend \(id.value.low)"
        case .park(let id, _): "park \(id.value.low)"
        case .enqueue(let draft): "enqueue \(draft.id.value.low) \(draft.payload.name)"
        case .rewrite(let id, _): "rewrite \(id.value.low)"
        case .upload(let id, let step, at: _): "upload \(id.value.low) \(step)"
        case .delete(let id): "delete \(id.value.low)"
        case .putMarker(let entry): "\(entry.kind) \(entry.message.value.low) at \(entry.sequence)"
        case .appendDelete(let id, lane: _): "append delete \(id.value.low)"
        case .attemptMarker(let sequence, let previous): "control \(sequence) after \(previous)"
        case .removeMarker(let sequence): "done \(sequence)"
        case .rebase(let sequence, let previous): "rebase \(sequence) after \(previous)"
        case .forkOutbox(let id, at: _): "outbox \(id.value.low)"
        case .followHistory(let history, let id, marks: _, at: _): "outbox \(id.value.low) in \(history.id)"
        case .setLastTransmitted(_, let sequence): "last \(sequence)"
        default: nil
        }
    }
}
