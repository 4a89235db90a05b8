import CausewayModels

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The ends of a delivery, and what follows them for other messages.
extension MutationApplier {
    mutating func deliver(
        _ id: MessageID, _ serverPosition: ServerPosition, at time: Timestamp
    ) throws(Rows.Failure) {
        guard let old = try rows.message(id) else { return }
        guard let target = old.message.role.target else {
            try save(old.message.delivered(serverPosition, at: time), over: old)
            return try release(id, at: time)
        }
        try change(target) { $0.taken(old.message, serverPosition) }
        try remove(old)
    }

    mutating func fail(_ id: MessageID, _ failure: Failure, inDoubt: Bool) throws(Rows.Failure) {
        guard let old = try rows.message(id) else { return }
        if let target = old.message.role.target, try rows.message(target) == nil { return try remove(old) }
        try save(old.message.failed(failure, inDoubt: inDoubt), over: old)
    }

    mutating func resend(_ id: MessageID, at time: Timestamp) throws(Rows.Failure) {
        guard let old = try rows.message(id), old.message.isUndelivered, let lane = old.message.lane else { return }
        let mayGo = Message.mayGo(old.message.role, in: lane, with: try related(old.message.role))
        let sequence = mayGo ? rows.takeSequence() : 0
        try save(old.message.resent(sequence: sequence, at: time), over: old)
    }

    mutating func park(_ id: MessageID, _ failure: Failure) throws(Rows.Failure) {
        guard let old = try rows.message(id) else { return }
        guard try related(old.message.role)?.isUndelivered == true else {
            return try fail(id, failure, inDoubt: false)
        }
        try save(old.message.parked(at: failure.at), over: old)
    }

    mutating func delete(_ id: MessageID) throws(Rows.Failure) {
        if let old = try rows.message(id) { try remove(old) }
        try release(id, at: nil)
    }

    /// - Parameter content: the coded content of the message as the server has it.
    mutating func merge(_ placed: RemoteMessage, content: Data, at time: Timestamp) throws(Rows.Failure) {
        if let old = try rows.message(placed.id) {
            // Merged and overlaid in one step: a message that was merely read again is not written.
            try save(try overlaid(old.message.merged(with: placed, at: time)), over: old, content: content)
        } else {
            if try rows.hasDeletion(of: placed.id) { return }
            try insert(Message(placed, ordinal: rows.takeSequence()), content: content)
            try overlay(placed.id)
        }
        try release(placed.id, at: time)
    }
}
