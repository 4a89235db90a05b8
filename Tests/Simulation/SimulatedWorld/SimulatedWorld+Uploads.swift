import CausewayModels
import CausewayOutbox
import CausewaySimulatedHub
import CausewaySimulationKernel
import CausewayStorage

/// Uploads: the driver's part, the network, and the hub's files. A file is sent in parts, each of which can be cut.
extension SimulatedWorld {
    // MARK: - The driver

    /// Begins an attempt, whose mutations are committed.
    func upload(_ attempt: UploadQueue.Attempt, _ client: Int) {
        if strikes(.crash) { return crash(client) }
        guard let account = clients[client].account, clients[client].isRunning,
            let item = clients[client].store.items[attempt.message], let file = item.sentContent.attachment
        else {
            violation = violation ?? "an upload begins for \(attempt.message.value.low), which is not there"
            return
        }
        if violation == nil { violation = brokenByUpload(attempt, item, client) }
        if item.sender != account, plan.plantedFault != .sendsAnybodys {
            return submit(.event(.upload(attempt.number, .foreign)), to: client)
        }
        lastCall += 1
        let call = UploadCall(
            id: lastCall, client: client, process: clients[client].process, account: account, attempt: attempt,
            file: file, session: attempt.session)
        clients[client].openUploads[attempt.number] = call
        counts.uploads += 1
        if clients[client].openUploads.count > 1 { counts.milestones.reach(.severalUploads) }
        history.record(now, "client \(client): begins \(call)")
        request(call.session == nil ? .begin : .offset, call)
    }

    func cancelUpload(_ number: Int, isAbandoned: Bool, _ client: Int) {
        guard plan.plantedFault != .uploadCancelForgotten,
            let call = clients[client].openUploads.removeValue(forKey: number)
        else { return }
        history.record(now, "client \(client): cancels \(call)")
        if isAbandoned, let session = call.session, !areFaultsOver { files.remove(session) }
    }

    /// The sessions of messages that are deleted are cancelled; the request may be lost.
    func cancelSessions(of messages: [StoredItem]) {
        for session in messages.compactMap({ $0.upload?.session }) where randomness.isLikely(800) {
            files.remove(session)
        }
    }

    /// Goes on with an attempt after the machine has processed the hub's answer.
    func proceed(_ call: UploadCall, from offset: Int64) {
        guard isUnderWay(call) else { return }
        clients[call.client].openUploads[call.attempt.number] = call
        request(.bytes(from: offset), call)
    }

    func isUnderWay(_ call: UploadCall) -> Bool {
        isRunning(call.client, call.process) && clients[call.client].openUploads[call.attempt.number]?.id == call.id
    }

    // MARK: - The network

    private func request(_ request: UploadCall.Request, _ call: UploadCall) {
        bringTrouble()
        if let error = wayError { return end(call, .failure(error), after: randomness.latency()) }
        if troubles.contains(.halfOpen) {
            return end(call, .failure(.inDoubt(detail: "no answer in time")), after: Plan.callTimeout)
        }
        queue.plan(.uploadArrives(call, request), at: now + randomness.latency())
    }

    private func end(_ call: UploadCall, _ result: Result<UploadCall.Answer, TransportError>, after delay: Duration) {
        queue.plan(.uploadAnswered(call, result), at: now + delay)
    }

    func uploadArrives(_ call: UploadCall, _ request: UploadCall.Request) {
        let result = answer(request, call)
        if violation == nil { violation = files.violation }
        if strikes(.uploadAnswerLost, extra: 1) {
            history.record(now, "network: loses the answer to \(call)")
            return end(call, .failure(.inDoubt(detail: "reset")), after: .milliseconds(1))
        }
        end(call, result, after: randomness.latency())
    }

    func uploadAnswered(_ call: UploadCall, _ result: Result<UploadCall.Answer, TransportError>) {
        guard isUnderWay(call) else { return }
        let number = call.attempt.number
        hash.add(result)
        switch result {
        case .success(.complete):
            clients[call.client].openUploads[number] = nil
            submit(.event(.upload(number, .uploaded(receipt: call.file.sha256))), to: call.client)
        case .success(.opened(let session)):
            var opened = call
            opened.session = session
            submit(.event(.upload(number, .opened(session: session))), to: call.client)
            submit(.uploadProceeds(opened, from: 0), to: call.client)
        case .success(.offset(let offset)):
            submit(.event(.upload(number, .resumed(offset: offset))), to: call.client)
            submit(.uploadProceeds(call, from: offset), to: call.client)
        case .success(.received(let offset)):
            submit(.event(.upload(number, .progressed(sent: offset))), to: call.client)
            submit(.uploadProceeds(call, from: offset), to: call.client)
        case .failure(let error):
            clients[call.client].openUploads[number] = nil
            history.record(now, "client \(call.client): \(call) failed: \(error)")
            if plan.plantedFault == .uploadFailureForgotten { return }
            // The machine has processed all progress of the attempt before.
            submit(.uploadFails(call, error), to: call.client)
        }
    }

    /// Processed in its turn, also by a copy of the client that began the call.
    func uploadFails(_ call: UploadCall, _ error: TransportError, _ client: Int) {
        guard let machine = clients[client].machine,
            machine.outbox.uploads.message(of: call.attempt.number) == call.attempt.message
        else { return }
        expected.noteUploadFailure(of: call.attempt.message, error)
        if case .unreachable = error { clients[client].connection.isOut = true }
        if case .rateLimited(let after, _) = error {
            let former = clients[client].connection.uploadsQuietUntil
            clients[client].connection.uploadsQuietUntil = max(former, quiet(after: after))
        }
        handle(.upload(call.attempt.number, .failed(plan.plantedFault.distortedOfUpload(error))), client)
    }

    // MARK: - The hub

    private func answer(_ request: UploadCall.Request, _ call: UploadCall) -> Result<UploadCall.Answer, TransportError>
    {
        if troubles.contains(.hubDown) { return .failure(.unreachable(detail: "connection refused")) }
        if let actionRequired { return .failure(.actionRequired(actionRequired)) }
        if strikes(.uploadBusy, extra: 1) {
            return .failure(
                randomness.isLikely(500)
                    ? .transient(code: "quotaExceeded", detail: "no room")
                    : .rateLimited(after: randomness.between(.zero, .seconds(20)), detail: "429"))
        }
        if let session = call.session, strikes(.uploadExpired, extra: 1) { files.remove(session) }
        switch request {
        case .begin: return begin(call)
        case .offset:
            guard files.upload(call.session ?? "", of: call.account) != nil else { return .failure(.sessionUnknown) }
            return .success(.offset(files.report(call.session ?? "")))
        case .bytes(let offset): return receive(call, from: offset)
        }
    }

    private func begin(_ call: UploadCall) -> Result<UploadCall.Answer, TransportError> {
        if files.isReadable(call.file, by: call.account) { return .success(.complete) }
        guard let session = files.begin(call.file, of: call.account, at: now) else {
            return .failure(.rateLimited(after: .seconds(5), detail: "too many uploads"))
        }
        history.record(now, "hub: opens \(session) for \(call)")
        return .success(.opened(session))
    }

    private func receive(
        _ call: UploadCall, from offset: Int64
    ) -> Result<UploadCall.Answer, TransportError> {
        guard let session = call.session, let upload = files.upload(session, of: call.account) else {
            return .failure(.sessionUnknown)
        }
        guard upload.received == offset else {
            return .failure(.refused(code: "mismatchingOffset", detail: "\(offset) is not \(upload.received)"))
        }
        let rest = upload.file.size - offset
        var count = min(rest, ModelFiles.partBytes)
        let isCut = strikes(.uploadCut, extra: 1)
        if isCut { count = Int64(randomness.number(in: 0..<Int(count) + 1)) }
        files.receive(count, of: session, at: now)
        if strikes(.uploadHubRestart, extra: 1) { files.restart() }
        if isCut {
            history.record(now, "network: cuts \(call) after \(offset + count) bytes")
            return .failure(.inDoubt(detail: "cut"))
        }
        guard count == rest else { return .success(.received(files.report(session))) }
        if strikes(.uploadDamaged, extra: 1) {
            files.remove(session)
            return .failure(.refused(code: "hashMismatch", detail: "another hash"))
        }
        files.complete(session)
        history.record(now, "hub: has the file of \(call)")
        return .success(.complete)
    }

    /// The hub's verdict on the attachment of a message.
    func verdictOnFile(_ message: MessageID, _ content: MessageContent?) -> Bool {
        guard let file = content?.attachment, let record = expected.records[message], !record.isOperation else {
            return true
        }
        if strikes(.fileExpired), files.expire(file) {
            history.record(now, "hub: the file of \(message.value.low) has expired")
        }
        guard files.isReadable(file, by: record.sender) else { return plan.plantedFault == .hubTakesMissingFiles }
        files.admit(file)
        return true
    }
}

extension PlantedFault? {
    /// The error of an upload that the machine is given in place of the real one.
    fileprivate func distortedOfUpload(_ error: TransportError) -> TransportError {
        switch (self, error) {
        case (.uploadOutageIsCharged, .unreachable(let detail)): .transient(code: "unreachable", detail: detail)
        default: error
        }
    }
}

extension TransportError {
    fileprivate static let sessionUnknown = TransportError.refused(code: "sessionUnknown", detail: "no such upload")
}
