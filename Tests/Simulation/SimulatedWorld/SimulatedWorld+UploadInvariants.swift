import CausewayModels
import CausewayOutbox
import CausewayStorage

/// The invariants of uploads: a message is sent after its file, a few files are uploaded at once, and nothing that the
/// hub has is uploaded again.
extension SimulatedWorld {
    /// Checks the beginning of an attempt.
    func brokenByUpload(
        _ attempt: UploadQueue.Attempt, _ item: StoredItem, _ client: Int
    ) -> String? {
        let number = attempt.message.value.low
        let underWay = clients[client].openUploads.count + 1
        if underWay > plan.configuration.uploadsMax { return "\(underWay) uploads at once" }
        if clients[client].isPaused { return "client \(client) uploads while it is paused" }
        let quietUntil = max(clients[client].quietUntil, clients[client].connection.uploadsQuietUntil)
        if now < quietUntil { return "client \(client) uploads although the hub asked it to wait" }
        if let early = brokenBySettling(client) { return early }
        guard let record = expected.records[attempt.message], !record.isOutOfHand else { return nil }
        if record.hasReceipt { return "\(number) is uploaded again, and the hub has its file" }
        if let known = record.uploadSession, attempt.session != known {
            return "the session of \(number) was forgotten"
        }
        if attempt.attempts > record.uploadFailures + 1 {
            return "\(number) has used up \(attempt.attempts) uploads, and \(record.uploadFailures) failed"
        }
        return nil
    }

    /// Checks that a message is sent only with a receipt.
    func brokenBySendingFiles(_ batch: Batch, _ client: Int) -> String? {
        for operation in batch.operations where operation.kind == .send {
            guard let item = clients[client].store.items[operation.message], item.createsMessage,
                item.sentContent.attachment != nil, item.upload?.isPending != false
            else { continue }
            return "\(operation.message.value.low) is sent before its file"
        }
        return nil
    }

    /// Checks that each attempt that the driver performs is one that the machine knows, and the other way round.
    func brokenUploads(of client: Int) -> String? {
        let state = clients[client]
        guard state.isAtRest, let machine = state.machine else { return nil }
        if state.openUploads.isEmpty, machine.outbox.uploads.attemptsUnderWay.isEmpty { return nil }
        let known = Set(machine.outbox.uploads.attemptsUnderWay)
        let underWay = Set(state.openUploads.keys)
        if let orphan = underWay.subtracting(known).min() { return "nothing needs upload \(orphan), and it goes on" }
        if let lost = known.subtracting(underWay).min() { return "upload \(lost) was never reported" }
        return nil
    }

    /// Follows the steps of uploads as they are committed.
    func noteUploads(in mutations: [Mutation], _ client: Int) -> String? {
        for mutation in mutations {
            // Its place in the middle of its lane remains for a while.
            if case .fail(let id, _, inDoubt: _) = mutation,
                clients[client].store.items[id]?.upload?.isPending == true
            {
                clients[client].removedCount += 1
            }
            switch mutation {
            case .upload(let id, let step, at: _):
                if let broken = expected.note(step, of: id) { return broken }
            case .forkOutbox, .followHistory: expected.forgetFiles(of: client)
            case .fail(let id, let failure, inDoubt: _) where failure.code == "attachmentUnknown":
                expected.forgetFile(of: id)
                expected.records[id]?.repeatedUploads = 0
            default: break
            }
        }
        return nil
    }
}

extension ExpectedState {
    mutating func note(_ step: UploadStep, of message: MessageID) -> String? {
        switch step {
        case .begin: break
        case .open(let session): records[message]?.uploadSession = session
        case .progress: records[message]?.uploadFailures = 0
        case .requeue(let session, attempts: _): records[message]?.uploadSession = session
        case .complete:
            records[message]?.hasReceipt = true
            records[message]?.uploadFailures = 0
        case .startAgain:
            forgetFile(of: message)
            guard let record = records[message], !record.isOutOfHand else { return nil }
            records[message]?.repeatedUploads += 1
            records[message]?.isToTheTail = true
            if record.repeatedUploads > 0 { return "\(message.value.low) is uploaded again and again" }
        }
        return nil
    }

    mutating func forgetFile(of message: MessageID) {
        records[message]?.hasReceipt = false
        records[message]?.uploadSession = nil
        records[message]?.uploadFailures = 0
    }

    mutating func forgetFiles(of client: Int) {
        for (message, record) in records where record.client == client {
            forgetFile(of: message)
            records[message]?.repeatedUploads = 0
        }
    }

    /// Counts a failed attempt, or one that a crash cut off.
    mutating func noteUploadFailure(of message: MessageID, _ error: TransportError? = nil) {
        switch error {
        case nil, .transient, .inDoubt, .serverFailed: records[message]?.uploadFailures += 1
        case .refused(code: "hashMismatch", _):
            records[message]?.mismatches += 1
            records[message]?.uploadSession = nil
        case .refused: records[message]?.uploadFailures += 1
        case .unreachable, .notSent, .rateLimited, .actionRequired, .storeForked, .historyChanged: break
        }
    }
}
