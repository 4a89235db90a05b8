import Causeway
import CausewayModels
import CausewaySimulatedHub
import CausewaySimulatedRuntime
import CausewayStorage

/// The witness's record of one upload, as its store was told to keep it.
struct UploadRecord {
    /// The server's name of the open upload.
    var session: String?
    /// True once the server has the file.
    var hasReceipt = false
}

/// The invariants of files: none is missing where it is needed, none remains where it is not, and no byte is sent
/// without need.
extension World {
    // MARK: - At the store

    /// Follows the steps of uploads as they are committed.
    func noteUploads(in mutations: [Mutation], _ process: Int) {
        guard plan.hasFiles, processes[process].isWitnessed else { return }
        for mutation in mutations {
            switch mutation {
            case .upload(let id, let step, at: _): if processes[process].mirror.items[id] != nil { note(step, of: id) }
            case .fail(let id, let failure, inDoubt: _) where failure.code == "attachmentUnknown":
                expected.uploads[id] = nil
            case .forkOutbox, .followHistory:
                for id in expected.created where expected.records[id]?.device == processes[process].device {
                    let lost = expected.uploads.removeValue(forKey: id)
                    if lost?.hasReceipt == true { expected.receiptsLost[id] = runtime.now }
                }
            default: break
            }
        }
    }

    private func note(_ step: UploadStep, of id: MessageID) {
        if expected.uploads[id]?.hasReceipt == true, step != .startAgain { return }
        switch step {
        case .begin, .progress: break
        case .open(let session):
            expected.uploads[id, default: UploadRecord()].session = session
            expected.storedUploads.insert(session)
        case .requeue(let session, attempts: _): expected.uploads[id, default: UploadRecord()].session = session
        case .complete: expected.uploads[id] = UploadRecord(hasReceipt: true)
        case .startAgain: expected.uploads[id] = nil
        }
    }

    /// Counts the events that strike while a file of the process is uploaded.
    func countUploads(of process: Int, as count: WritableKeyPath<Tally, Int>) {
        guard plan.hasFiles, processes[process].mirror.items.values.contains(where: { $0.syncState == .uploading })
        else { return }
        tally[keyPath: count] += 1
    }

    /// Implements `forgetsUploads` and `forgetsReceipts`.
    func tamperedUpload(_ mutation: Mutation) -> Mutation? {
        guard case .upload(let id, let step, let time) = mutation else { return mutation }
        switch (plan.plantedFault, step) {
        case (.forgetsUploads, .open): return nil
        case (.forgetsUploads, .requeue(_, let attempts)):
            return .upload(id, .requeue(session: nil, attempts: attempts), at: time)
        case (.forgetsReceipts, .complete): return .upload(id, .requeue(session: nil, attempts: 0), at: time)
        default: return mutation
        }
    }

    // MARK: - On the way

    /// The message of a file; `nil` if there are several, or if nothing certain is known of it.
    private func onlyMessage(of file: Attachment, _ process: Int) -> ExpectedState.Record? {
        guard plan.hasFiles, processes[process].isWitnessed, !devices[processes[process].device].wasCopied,
            let ids = expected.messagesOfFiles[file.sha256], ids.count == 1, let id = ids.first,
            let record = expected.records[id], !record.isExcused
        else { return nil }
        return record
    }

    /// Checks the start of an upload: the hub has neither the file nor a part of it, as far as the store knows.
    func checkBeginning(of file: Attachment, _ process: Int) {
        guard let record = onlyMessage(of: file, process), !record.isDeleted,
            let upload = expected.uploads[record.item.id]
        else { return }
        if upload.hasReceipt {
            violated(.repeatedUpload, "message \(record.number) is uploaded again, and has its receipt")
        }
        if let session = upload.session, hubFiles.upload(session, of: record.item.sender) != nil {
            violated(
                .repeatedUpload, "message \(record.number) is uploaded from the start, and the hub has a part of it")
        }
    }

    /// Checks a part that is about to be sent: nothing is sent for a message that was deleted a second ago.
    /// Between two commits the client waits for its disk, however slow that is, and learns of the deletion after that.
    func checkSending(of file: Attachment, _ process: Int) {
        guard let record = onlyMessage(of: file, process), record.isDeleted, let since = record.deletedAt else {
            return
        }
        let slowUntil = devices[processes[process].device].diskSlowUntil + Plan.slowCommitMax
        if runtime.now - max(since, slowUntil) > .seconds(1) {
            violated(.uploadAfterDeletion, "message \(record.number) is uploaded after its deletion")
        }
    }

    /// Checks that a message leaves after its file.
    func checkFile(of id: MessageID, _ file: Attachment) {
        guard plan.hasFiles else {
            if hubFiles.files[file.sha256] == nil {
                violated(.fileFirst, "message \(expected.number(id)) is sent before its file")
            }
            return
        }
        if let record = expected.records[id], !record.isExcused, expected.uploads[id]?.hasReceipt != true,
            expected.receiptsLost[id] != runtime.now
        {
            violated(.fileFirst, "message \(record.number) is sent before its file")
        }
    }

    // MARK: - At the hub

    /// Checks that bytes arrive as they are in the file, at their place.
    func checkBytes(_ bytes: some Sequence<UInt8>, of file: Attachment, from offset: Int64) {
        guard plan.hasFiles else { return }
        var place = offset
        for byte in bytes {
            if byte != SampleFile.byte(of: file.sha256, at: place) {
                return violated(.fileBytes, "byte \(place) of \(file.name) arrives changed")
            }
            place += 1
        }
    }

    /// Checks a message that the hub has just stored: its file is there, and the policy of its client was kept.
    func checkStoredFile(_ entry: ModelHub.Stored, _ call: DeliveryCall) {
        guard plan.hasFiles, let record = expected.records[entry.message], record.item.createsMessage else { return }
        if let file = hub.accepted[entry.message]?.content.attachment {
            if hubFiles.files[file.sha256]?.size != file.size {
                violated(.fileOnHub, "the hub takes message \(record.number), and has not its file")
            }
        }
        brokenPolicy(entry, record, call).map { words in violated(.ordering, words) }
    }

    /// Follows the messages on the hub that have files.
    func attachFiles(of delivery: Delivery) {
        guard plan.hasFiles else { return }
        for operation in delivery.operations {
            guard let file = hub.accepted[operation.message]?.content.attachment else { continue }
            if hub.holds(operation.message) {
                hubFiles.attach(file, to: operation.message)
            } else {
                hubFiles.detach(file, from: operation.message)
            }
        }
    }

    /// Checks that no message overtakes one that its ordering policy puts before it.
    private func brokenPolicy(
        _ entry: ModelHub.Stored, _ record: ExpectedState.Record, _ call: DeliveryCall
    ) -> String? {
        let isMedia = record.item.sentContent.attachment != nil
        let ordering = plan.devices[call.device].ordering
        guard ordering == .strict || ordering == .mediaAfterText && isMedia, !plan.hasLosses,
            processes[call.process].isWitnessed, !devices[call.device].wasCopied, record.device == call.device,
            processes[call.process].disk.outboxID == call.delivery.outbox
        else { return nil }
        // A reply gives up its place when its message is not there.
        for earlier in processes[call.process].mirror.inOrder
        where earlier.createsMessage && earlier.isPending && !earlier.isParked && earlier.related == nil
            && earlier.laneSequence < entry.sequence
        {
            guard let other = expected.records[earlier.id], !other.isExcused, other.refusal != .message,
                other.item.sender == record.item.sender, hub.accepted[earlier.id] == nil,
                ordering == .strict || earlier.sentContent.attachment == nil
            else { continue }
            return "message \(record.number) overtakes message \(other.number) under \(ordering)"
        }
        return nil
    }

    /// Checks that no text waits for a file.
    func checkWait(_ item: OutboxItem, _ process: Int) {
        guard plan.hasFiles, plan.devices[processes[process].device].ordering != .strict,
            item.operation.createsMessage, item.operation.payload.content.attachment == nil
        else { return }
        switch item.wait {
        case .behind(let other) where expected.records[other]?.item.sentContent.attachment != nil:
            violated(.textWaits, "message \(expected.number(item.operation.id)) waits for a file")
        case .behindLane, .uploading:
            violated(.textWaits, "message \(expected.number(item.operation.id)) waits for media")
        default: break
        }
    }

    /// Reads the outbox of each device now and then.
    func watchOutboxes() async {
        while !isHealed, violation == nil {
            await pass(.seconds(3))
            for device in devices.indices {
                guard let (process, client) = running(device) else { continue }
                await readOutbox(client, process)
            }
        }
    }

    // MARK: - At the end

    /// Checks the files on both sides; each client is opened once more, because a disk that failed may have kept files
    /// that nothing needs until then.
    func checkFiles() async {
        for id in expected.created where hub.holds(id) {
            guard let file = hub.accepted[id]?.content.attachment, hubFiles.files[file.sha256]?.size != file.size
            else { continue }
            violated(.fileOnHub, "the hub has message \(expected.number(id)), and not its file")
        }
        for device in devices.indices where violation == nil {
            guard let (process, _) = running(device) else { continue }
            await close(process)
            while running(device) == nil, violation == nil { await pass(.milliseconds(500)) }
            await checkFiles(of: device)
        }
        if violation == nil, plan.isCalm, tally.crashesInUploads == 0, tally.logouts == 0 { checkUploadsLeft() }
    }

    private func checkFiles(of device: Int) async {
        let deadline = runtime.now + .seconds(60) + latestTimer
        while violation == nil {
            guard let (process, _) = running(device), let account = processes[process].disk.account,
                let references = try? await processes[process].disk.blobs?.references(of: account)
            else { return }
            let held = Set(references.map(\.message))
            let messages = processes[process].disk.contents.items.filter {
                $0.createsMessage && $0.sentContent.attachment != nil
            }
            let strays = held.subtracting(messages.map(\.id))
            let missing = messages.first { message in
                guard let record = expected.records[message.id], record.device == device, message.lane != nil else {
                    return false
                }
                return !held.contains(message.id)
            }
            if strays.isEmpty, missing == nil { return }
            if runtime.now > deadline {
                if let missing { violated(.keptFiles, "the file of message \(expected.number(missing.id)) is gone") }
                violated(.removedFiles, "device \(device) keeps \(strays.count) files that no message has")
                return
            }
            await pass(.seconds(1))
        }
    }

    /// Where nothing ever failed, the hub has no part of a file that no message needs. One whose name never reached the
    /// client can only expire.
    private func checkUploadsLeft() {
        let known = Set(
            expected.uploads.filter { expected.records[$0.key]?.isDeleted == false }.values.compactMap(\.session))
        for (location, upload) in hubFiles.uploads.sorted(by: { $0.key < $1.key })
        where !known.contains(location) && expected.storedUploads.contains(location) {
            violated(.leftUploads, "the hub keeps \(location) of \(upload.file.name), which nothing needs")
        }
    }
}
