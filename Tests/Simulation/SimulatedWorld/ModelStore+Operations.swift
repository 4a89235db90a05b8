import CausewayModels
import CausewayStorage

/// Dependencies between messages: operations show in their messages, and parked messages wait for another one.
extension ModelStore {
    /// Operations on a message, and messages parked for it, in the order of creation.
    func dependants(of id: MessageID) -> [QueuedOperation] {
        if related.isEmpty { return [] }
        return related.compactMap { items[$0] }.filter { $0.dependence == id }.sorted {
            $0.ordinal < $1.ordinal
        }
        .compactMap(\.queued)
    }

    func dependantOperations(of id: MessageID) -> [QueuedOperation] {
        dependants(of: id).filter { !$0.createsMessage }
    }

    mutating func deliver(_ id: MessageID, _ serverPosition: ServerPosition, at time: Timestamp) {
        switch items[id] {
        case .operation(let operation):
            if let target = message(operation.target) {
                put(.message(target.taken(operation, serverPosition)), as: target.id)
            }
            put(nil, as: id)
        case .message(let message):
            put(.message(message.delivered(serverPosition, at: time)), as: id)
            release(id, at: time)
        case nil: return
        }
    }

    mutating func fail(_ id: MessageID, _ failure: Failure, inDoubt: Bool) {
        if let target = items[id]?.target, items[target] == nil { return put(nil, as: id) }
        let isKept = inDoubt && plantedFault != .doubtForgotten
        change(id) { $0.failed(failure, inDoubt: isKept) }
        forgetReceipt(of: id)
    }

    mutating func park(_ id: MessageID, _ failure: Failure) {
        guard let item = items[id] else { return }
        if message(item.related)?.isUndelivered == true {
            change(id) { $0.parked(at: failure.at) }
        } else {
            fail(id, failure, inDoubt: false)
        }
    }

    mutating func resend(_ id: MessageID, at time: Timestamp) {
        guard let operation = items[id]?.queued, let lane = operation.lane else { return }
        let mayGo = operation.payload.mayGo(in: lane, with: message(operation.related))
        let sequence = mayGo ? takeSequence() : 0
        change(id) { $0.resent(sequence: sequence, at: time) }
        if let item = items[id] { tellFeed(item) }
    }

    /// Assigns sequences to the messages parked for this one, if it is on the server, or gone.
    mutating func release(_ id: MessageID, at time: Timestamp?) {
        if let message = items[id], message.syncState != .synced { return }
        if plantedFault == .parkedForgotten { return }
        for dependant in dependants(of: id) where dependant.isParked {
            let sequence = takeSequence()
            change(dependant.id) { $0.released(sequence: sequence, at: time) }
            if let released = items[dependant.id] { tellFeed(released) }
        }
    }

    /// Shows the pending operations in their message.
    mutating func overlay(_ id: MessageID?) {
        guard let id, let message = message(id) else { return }
        put(.message(message.overlaid(with: dependantOperations(of: id))), as: id)
    }
}
