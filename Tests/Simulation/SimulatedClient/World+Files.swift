import CausewayModels
import CausewaySimulatedHub
import CausewaySimulatedRuntime
import CausewaySimulationKernel
import CausewayStorage
import CausewayTransport

/// The hub's part in uploads, and the network on the way to it.
extension World {
    /// A request of an upload.
    ///
    /// - Parameter isCancellation: whether it may be sent after the session of its user has ended.
    func transfer<Value: Sendable>(
        _ body: @escaping @Sendable (World) -> Result<Value, TransportError>, _ transport: SimulatedTransport,
        _ reply: Reply<Value>, isCancellation: Bool = false
    ) {
        guard processes[transport.process].life != .dead else { return }
        if transport.isRetired, !isCancellation {
            violated(.endedSession, "a file is uploaded after its session had ended")
        }
        let device = processes[transport.process].device
        guard passes(device, reply) else { return }
        after(latency()) { [self] in
            let outcome = doorError(transport.token).map { .failure($0) } ?? body(self)
            if strikes(.uploadAnswerLost) { return reply.end(.failure(.inDoubt(detail: "reset"))) }
            let isCut = devices[device].cutUntil > runtime.now
            answer(reply, isCut ? .failure(.inDoubt(detail: "cut")) : outcome, after: latency())
        }
    }

    func beginUpload(
        of file: Attachment, _ transport: SimulatedTransport
    ) -> Result<UploadStart, TransportError> {
        let account = account(of: transport.token)
        if hubFiles.isReadable(file, by: account) {
            return .success(.present(UploadReceipt(name: file.sha256, sha256: file.sha256)))
        }
        if plan.hasFiles {
            if strikes(.uploadQuota) {
                noteRefusal(of: file)
                return .failure(.refused(code: "quotaExceeded", detail: "no room"))
            }
            guard hubFiles.makeRoom(for: account, at: runtime.now) else {
                return .failure(.rateLimited(after: .seconds(5), detail: "too many uploads"))
            }
        }
        uploadsBegun += 1
        let location = "/uploads/\(uploadsBegun)"
        hubFiles.open(location, file, of: account, at: runtime.now)
        return .success(.session(UploadSession(location: location, file: file)))
    }

    func offset(of session: UploadSession, _ transport: SimulatedTransport) -> Result<Int64, TransportError> {
        if strikes(.uploadExpired) { hubFiles.remove(session.location) }
        guard hubFiles.upload(session.location, of: account(of: transport.token)) != nil else {
            return .failure(.uploadUnknown)
        }
        tally.uploadsResumed += 1
        return .success(reportedOffset(of: session))
    }

    /// The part of a file that arrives; the network may cut it anywhere.
    func receive(
        _ part: [UInt8], of session: UploadSession, from offset: Int64, _ transport: SimulatedTransport
    ) -> Result<Int64, TransportError> {
        guard let upload = hubFiles.upload(session.location, of: account(of: transport.token)) else {
            return .failure(.uploadUnknown)
        }
        guard upload.received == offset else {
            return .failure(.refused(code: "mismatchingOffset", detail: "the offset is \(upload.received)"))
        }
        let isCut = strikes(.uploadCut)
        let count = isCut ? Int.random(in: 0...part.count, using: &fileDice) : part.count
        checkBytes(part.prefix(count), of: session.file, from: offset)
        hubFiles.receive(Int64(count), of: session.location, at: runtime.now)
        tally.fileBytes += count
        if strikes(.uploadHubRestart) {
            hubFiles.restart()
            return .failure(.inDoubt(detail: "the hub restarted"))
        }
        if isCut { return .failure(.inDoubt(detail: "cut after \(count) bytes")) }
        guard offset + Int64(count) == session.file.size else { return .success(reportedOffset(of: session)) }
        if strikes(.uploadDamaged) {
            hubFiles.remove(session.location)
            noteRefusal(of: session.file)
            return .failure(.refused(code: "hashMismatch", detail: "another hash"))
        }
        hubFiles.complete(session.location)
        tally.uploadsCompleted += 1
        return .success(session.file.size)
    }

    /// The messages of a file may fail: the hub has refused the file.
    private func noteRefusal(of file: Attachment) {
        for id in expected.messagesOfFiles[file.sha256] ?? [] where expected.records[id]?.refusal == nil {
            expected.records[id]?.refusal = .request
        }
    }

    private func reportedOffset(of session: UploadSession) -> Int64 {
        let (offset, objection) = hubFiles.report(
            session.location, isDurable: plan.plantedFault != .hubUndercutsOffsets)
        if let objection { violated(.uploadOffset, objection) }
        return offset
    }

    /// The hub's verdict on the file of a message: true if it has it, and the account may use it.
    func acceptsFile(of message: MessageID, _ content: MessageContent?) -> Bool {
        guard plan.hasFiles, let file = content?.attachment, let record = expected.records[message],
            record.item.createsMessage
        else { return true }
        // A file of an earlier message of the same delivery is no longer without one.
        if strikes(.fileExpired), !filesInUse.contains(file.sha256) {
            hubFiles.expire(file.sha256)
            if plan.plantedFault == .hubExpiresNeededFiles, let any = hubFiles.files.keys.min() {
                hubFiles.lose(any)
            }
        }
        filesInUse.insert(file.sha256)
        return hubFiles.isReadable(file, by: record.item.sender)
            || plan.plantedFault == .hubTakesMissingFiles
    }
}

extension TransportError {
    fileprivate static let uploadUnknown = TransportError.refused(code: "sessionUnknown", detail: "no such upload")
}
