import CausewayModels

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The ends of a delivery, and what follows them for other messages.
extension MutationApplier {
    mutating func deliver(
        _ id: OperationID, _ serverPosition: ServerPosition, at time: Timestamp
    ) throws(Rows.Failure) {
        guard let old = try rows.item(id) else { return }
        switch old.item {
        case .message(let message):
            try save(.message(message.delivered(serverPosition, at: time)), over: old)
            try release(id, at: time)
        case .operation(let operation):
            if let target = operation.target, let row = try rows.item(target), let message = row.message {
                try save(.message(message.taken(operation, serverPosition)), over: row)
            }
            try remove(old)
        }
    }

    mutating func fail(_ id: OperationID, _ failure: Failure, inDoubt: Bool) throws(Rows.Failure) {
        guard let old = try rows.item(id) else { return }
        if let target = old.item.target, try message(target) == nil { return try remove(old) }
        try save(old.item.failed(failure, inDoubt: inDoubt), over: old)
    }

    mutating func resend(_ id: OperationID, at time: Timestamp) throws(Rows.Failure) {
        guard let old = try rows.item(id), let operation = old.item.queued, let lane = operation.lane
        else { return }
        let mayGo = operation.payload.mayGo(in: lane, with: try message(operation.related))
        let sequence = mayGo ? rows.takeSequence() : 0
        try save(old.item.resent(sequence: sequence, at: time), over: old)
    }

    /// The server no longer has the attachment: the message returns to the tail of its lane, and is uploaded again.
    mutating func startUploadAgain(_ id: OperationID, at time: Timestamp) throws(Rows.Failure) {
        guard let old = try rows.item(id), let item = old.item.withUploadLost() else { return }
        try save(item, over: old)
        try resend(id, at: time)
    }

    mutating func park(_ id: OperationID, _ failure: Failure) throws(Rows.Failure) {
        guard let old = try rows.item(id) else { return }
        guard try message(old.item.related)?.isUndelivered == true else {
            return try fail(id, failure, inDoubt: false)
        }
        try save(old.item.parked(at: failure.at), over: old)
    }

    mutating func delete(_ id: OperationID) throws(Rows.Failure) {
        if let old = try rows.item(id) {
            try remove(old)
            if let deleted = old.message.flatMap(DeletedMessage.init) { try keep(deleted.stored) }
        }
        try release(id, at: nil)
    }

    /// - Parameter content: the coded content of the message as the server has it.
    mutating func merge(_ placed: RemoteMessage, content: Data, at time: Timestamp) throws(Rows
        .Failure)
    {
        if let old = try rows.item(placed.id) {
            guard let message = old.message else { return }
            var merged = message.merged(with: placed, at: time)
            let isShared = message.ordinal < rows.outbox.lineage.sharedBelow
            if message.syncState == .error || (message.isUndelivered && isShared) {
                merged = merged.deliveredElsewhere()
            }
            // Merged and overlaid in one step: a message that was merely read again is not written.
            try save(.message(try overlaid(merged)), over: old, content: content)
        } else {
            if try rows.hasDeletion(of: placed.id) { return }
            // Before the message: a list that shows both has one record in their place.
            try removeRecord(DeletedMessage.kind, placed.id.description)
            try insert(.message(Message(placed, ordinal: rows.takeSequence())), content: content)
            try overlay(placed.id)
        }
        try release(placed.id, at: time)
    }
}
