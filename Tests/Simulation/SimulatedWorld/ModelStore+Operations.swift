import CausewayModels
import CausewayStorage

/// Dependencies between messages: operations show in their messages, and parked messages wait for another one.
extension ModelStore {
    /// Operations on a message, and messages parked for it, in the order of creation.
    func dependants(of id: MessageID) -> [Message] {
        if related.isEmpty { return [] }
        return related.compactMap { messages[$0] }.filter { $0.dependence == id }.sorted { $0.ordinal < $1.ordinal }
    }

    func dependantOperations(of id: MessageID) -> [Message] { dependants(of: id).filter(\.role.isOperation) }

    mutating func deliver(_ id: MessageID, _ serverPosition: ServerPosition, at time: Timestamp) {
        guard let message = messages[id] else { return }
        if let target = message.role.target {
            change(target) { $0.taken(message, serverPosition) }
            return put(nil, as: id)
        }
        change(id) { $0.delivered(serverPosition, at: time) }
        release(id, at: time)
    }

    mutating func fail(_ id: MessageID, _ failure: Failure, inDoubt: Bool) {
        if let target = messages[id]?.role.target, messages[target] == nil { return put(nil, as: id) }
        let isKept = inDoubt && plantedFault != .doubtForgotten
        change(id) { $0.failed(failure, inDoubt: isKept) }
    }

    mutating func park(_ id: MessageID, _ failure: Failure) {
        guard let message = messages[id] else { return }
        if message.role.related.flatMap({ messages[$0] })?.isUndelivered == true {
            change(id) { $0.parked(at: failure.at) }
        } else {
            fail(id, failure, inDoubt: false)
        }
    }

    mutating func resend(_ id: MessageID, at time: Timestamp) {
        guard let message = messages[id], message.isUndelivered, let lane = message.lane else { return }
        let mayGo = Message.mayGo(message.role, in: lane, with: message.role.related.flatMap { messages[$0] })
        let sequence = mayGo ? takeSequence() : 0
        change(id) { $0.resent(sequence: sequence, at: time) }
        if let message = messages[id] { tellFeed(message) }
    }

    /// Assigns sequences to the messages parked for this one, if it is on the server, or gone.
    mutating func release(_ id: MessageID, at time: Timestamp?) {
        if let message = messages[id], message.syncState != .synced { return }
        if plantedFault == .parkedForgotten { return }
        for dependant in dependants(of: id) where dependant.isParked {
            let sequence = takeSequence()
            change(dependant.id) { $0.released(sequence: sequence, at: time) }
            if let released = messages[dependant.id] { tellFeed(released) }
        }
    }

    /// Shows the pending operations in their message.
    mutating func overlay(_ id: MessageID?) {
        guard let id, let message = messages[id] else { return }
        put(message.overlaid(with: dependants(of: id).filter(\.role.isOperation)), as: id)
    }
}
