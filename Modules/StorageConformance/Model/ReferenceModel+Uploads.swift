import CausewayModels
import CausewayStorage

/// Uploads of attachments, in the simplest form.
extension ReferenceModel {
    mutating func upload(_ id: MessageID, _ step: UploadStep, _ time: Timestamp) {
        guard isQueued(id), !isParked(id), let upload = items[id]?.upload else { return }
        if step == .startAgain {
            items[id]?.upload = AttachmentUpload(total: upload.total, isRepeated: true)
            if let operation = items[id]?.queued { resend(id, mustWait(operation.payload, operation.lane), time) }
            return
        }
        guard upload.isPending else { return }
        let isUploading = items[id]?.syncState == .uploading
        switch step {
        case .begin(let attempts):
            note(id, upload.session, attempts)
            if items[id]?.syncState == .created { become(.uploading, id, time) }
        case .open(let session): note(id, session, upload.attempts)
        case .progress: note(id, upload.session, 0)
        case .requeue(let session, let attempts):
            note(id, session, attempts)
            guard isUploading else { return }
            become(.created, id, time)
            items[id]?.failure = nil
        case .complete(let receipt):
            items[id]?.upload?.state = .complete(receipt: receipt)
            if isUploading { become(.created, id, time) }
        case .startAgain: break
        }
    }

    private mutating func note(_ id: MessageID, _ session: String?, _ attempts: Int) {
        items[id]?.upload?.state = .pending(session: session, attempts: attempts)
    }

    /// The server that the attachment is for does not have it, or may not.
    mutating func forgetUpload(_ id: MessageID) {
        guard let total = items[id]?.upload?.total else { return }
        items[id]?.upload = AttachmentUpload(total: total)
    }

    /// Attempts to upload count anew; what the server has is kept.
    mutating func forgetUploadAttempts(_ id: MessageID) {
        guard let upload = items[id]?.upload, upload.isPending else { return }
        note(id, upload.session, 0)
    }

    mutating func rewrite(_ id: MessageID, _ content: MessageContent) {
        guard isUndelivered(id), items[id]?.change?.reaction == nil else { return }
        let former = bodies[id]?.content.attachment
        bodies[id]?.content = content
        let file = content.attachment
        guard items[id]?.isOperation == false, former?.sha256 != file?.sha256 || former?.size != file?.size else {
            return
        }
        items[id]?.upload = file.map { AttachmentUpload(total: $0.size) }
    }
}
