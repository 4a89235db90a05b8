import CausewayModels
import CausewayStorage
import Foundation
import GRDB

/// Dependencies between messages: operations are displayed in their target, and parked messages wait for the message
/// that they refer to.
extension CommitWriter {
    func deliver(_ id: MessageID, _ serverPosition: ServerPosition, at time: Timestamp) throws {
        guard let old = try row(id) else { return }
        guard let target = old.message.role.target else {
            try save(old.message.delivered(serverPosition, at: time), over: old)
            return try release(id, at: time)
        }
        // Only an edit changes the content, and with it the size.
        let content = old.message.role == .edit(of: target) ? try ContentCoding.encode(old.message.content) : nil
        try change(target, content: content) { $0.taken(old.message, serverPosition) }
        try delete(id)
    }

    func fail(_ id: MessageID, _ failure: Failure, inDoubt: Bool) throws {
        guard let old = try row(id) else { return }
        if let target = old.message.role.target, try row(target) == nil { return try delete(id) }
        try save(old.message.failed(failure, inDoubt: inDoubt), over: old)
    }

    func resend(_ id: MessageID, at time: Timestamp) throws {
        guard let old = try row(id), old.message.isUndelivered, let lane = old.message.lane else { return }
        let mayGo = Message.mayGo(old.message.role, in: lane, with: try related(old.message))
        let sequence = mayGo ? counters.takeSequence() : 0
        try save(old.message.resent(sequence: sequence, at: time), over: old)
    }

    func park(_ id: MessageID, _ failure: Failure) throws {
        guard let old = try row(id) else { return }
        guard try related(old.message)?.isUndelivered == true else {
            return try fail(id, failure, inDoubt: false)
        }
        try save(old.message.parked(at: failure.at), over: old)
    }

    /// Assigns lane sequences to the messages parked for this one, if it is on the server or no longer exists.
    func release(_ id: MessageID, at time: Timestamp?) throws {
        guard counters.awaited.mayContain(id) else { return }
        if let message = try row(id)?.message, message.syncState != .synced { return }
        for dependant in try dependants(of: id) where dependant.isParked {
            let sequence = counters.takeSequence()
            try change(dependant.id) { $0.released(sequence: sequence, at: time) }
        }
    }

    /// Updates the displayed body of a message with its pending operations.
    func overlay(_ id: MessageID) throws {
        guard let old = try row(id) else { return }
        try save(try overlaid(old.message), over: old)
    }

    /// The message with its pending operations applied.
    func overlaid(_ message: Message) throws -> Message {
        message.overlaid(with: try dependants(of: message.id).filter(\.role.isOperation))
    }

    func dependants(of id: MessageID) throws -> [Message] { try db.dependants(of: id, counters.account) }

    private func related(_ message: Message) throws -> Message? {
        try message.role.related.flatMap { try row($0)?.message }
    }
}
