import CausewayModels
import CausewayOutbox
import CausewayRuntime
import CausewayStorage
import CausewayTransport

/// Performing uploads: the bytes go from the store's file to the server in parts, while everything else continues.
///
/// The session is committed before the first byte leaves, the receipt before the message may be sent: both are actions
/// of the outbox.
extension SyncEngine {
    /// Commits the attempt, and begins it.
    func upload(_ attempt: UploadQueue.Attempt, _ mutations: [Mutation]) async {
        if !mutations.isEmpty { await commitUntilDurable(mutations) }
        guard !isClosed else { return }
        guard let transport else { return uploadFailed(attempt, .failed(.actionRequired(.noStoredToken))) }
        guard let media = transport.media, let blobs = store.blobs else {
            let detail = transport.media == nil ? "this server stores no files" : "this store keeps no files"
            return uploadFailed(attempt, .unsendable(code: "filesUnsupported", detail: detail))
        }
        let message: Message?
        do throws(StoreError) {
            message = try await store.message(attempt.message)
        } catch {
            return uploadFailed(attempt, .failed(.notSent(code: "storeUnavailable", detail: error.description)))
        }
        guard let message, let file = message.sentContent.attachment else {
            let detail = "its content cannot be read from the store"
            return uploadFailed(attempt, .unsendable(code: "unsendable", detail: detail))
        }
        guard message.sender == session?.user else { return uploadFailed(attempt, .foreign) }
        let number = attempt.number
        let session = attempt.session.map { UploadSession(location: $0, file: file) }
        let meter = UploadProgressMeter(runtime)
        let transfer = UploadTransfer(
            file: file, session: session, isRepeated: attempt.attempts > 1, blobs: blobs, media: media, meter: meter,
            runtime: runtime
        ) { [weak self] step in
            await self?.uploadReached(step, in: number) ?? false
        }
        uploads[number] = UploadUnderWay(
            message: attempt.message, account: self.session?.account, media: media, session: session)
        uploads[number]?.task = runtime.spawn { [weak self] in
            let event = await transfer.run()
            await self?.uploadEnded(number, event, sent: meter.last)
        }
    }

    private func uploadFailed(_ attempt: UploadQueue.Attempt, _ event: UploadEvent) {
        submit(.event(.upload(attempt.number, event)))
    }

    /// Processes a step of a transfer in its turn.
    ///
    /// - Returns: false if the upload is no longer needed.
    private func uploadReached(_ step: UploadTransfer.Step, in number: Int) async -> Bool {
        guard isNeeded(number) else { return false }
        if case .progressed(let sent) = step {
            submit(.event(.upload(number, .progressed(sent: sent))))
            return true
        }
        return await withCheckedContinuation { continuation in
            runInTurn { engine in
                await engine.uploadReachedInTurn(step, in: number)
                continuation.resume(returning: engine.isNeeded(number))
            }
        }
    }

    private func isNeeded(_ number: Int) -> Bool { !isClosed && uploads[number]?.isBrokenOff == false }

    private func uploadReachedInTurn(_ step: UploadTransfer.Step, in number: Int) async {
        guard isNeeded(number) else { return }
        switch step {
        case .opened(let session):
            uploads[number]?.session = session
            await perform(outbox.handle(.upload(number, .opened(session: session.location)), at: clock))
        case .resumed(let offset): await perform(outbox.handle(.upload(number, .resumed(offset: offset)), at: clock))
        case .progressed: break
        }
    }

    /// Processes the end of a transfer in its turn; until then a deletion under way finds the session to cancel.
    ///
    /// - Parameters:
    ///   - event: `nil` if the upload is no longer needed.
    ///   - sent: the last progress, which may not have been reported.
    private func uploadEnded(_ number: Int, _ event: UploadEvent?, sent: Int64?) {
        guard let ended = uploads[number] else { return }
        if let sent { submit(.event(.upload(number, .progressed(sent: sent)))) }
        let last: UploadEvent =
            switch event {
            case .failed(let error) where !ended.isBrokenOff: .failed(error)
            case .failed, nil: .interrupted
            case let event?: event
            }
        runInTurn { engine in
            guard engine.uploads.removeValue(forKey: number) != nil, !engine.isClosed else { return }
            await engine.perform(engine.outbox.handle(.upload(number, last), at: engine.clock))
        }
    }

    // MARK: - Cancellation

    /// Stops an attempt at once; what it does from now on is not reported.
    func cancelUpload(_ number: Int, isAbandoned: Bool) {
        guard let ended = uploads.removeValue(forKey: number) else { return }
        ended.task?.cancel()
        guard isAbandoned, let session = ended.session else { return }
        runtime.spawn { [weak self] in
            await ended.task?.finished()
            await (self?.currentMedia(for: ended) ?? ended.media).cancelIfPossible(session)
        }
    }

    /// The media store to use after an attempt has ended: a renewed token replaces the transport that performed it.
    private func currentMedia(for ended: UploadUnderWay) -> (any MediaStore)? {
        session?.account == ended.account ? transport?.media : nil
    }

    /// Cancels the attempts under way, which have not failed.
    ///
    /// - Returns: the tasks, which end soon.
    @discardableResult
    func breakOffUploads() -> [RuntimeTask] {
        for number in uploads.keys { uploads[number]?.isBrokenOff = true }
        let tasks = uploads.sorted { $0.key < $1.key }.compactMap(\.value.task)
        for task in tasks { task.cancel() }
        return tasks
    }

    /// The sessions of messages that are about to be deleted, unless an attempt is under way: that one is cancelled by
    /// the outbox.
    func idleUploads(of items: [StoredItem]) -> [UploadSession] {
        items.compactMap { item in
            guard let location = item.upload?.session, let file = item.sentContent.attachment,
                !uploads.values.contains(where: { $0.message == item.id })
            else { return nil }
            return UploadSession(location: location, file: file)
        }
    }

    /// Cancels sessions whose messages were deleted, one after the other.
    func cancelSessions(_ sessions: [UploadSession]) {
        guard !sessions.isEmpty, let media = transport?.media else { return }
        runtime.spawn {
            for session in sessions { await media.cancelIfPossible(session) }
        }
    }
}
