import CausewayModels
import CausewayStorage

/// Uploads of attachments.
extension ModelStore {
    mutating func upload(_ id: MessageID, _ step: UploadStep, at time: Timestamp) {
        if case .open = step, plantedFault == .sessionsForgotten { return }
        guard step == .startAgain else { return change(id) { $0.uploaded(step, at: time) } }
        guard var lost = items[id]?.withUploadLost() else { return }
        if plantedFault == .repeatsForgotten { lost.upload?.isRepeated = false }
        put(lost, as: id)
        resend(id, at: time)
    }

    /// For `receiptsForgotten`.
    mutating func forgetReceipt(of id: MessageID) {
        guard plantedFault == .receiptsForgotten, let upload = items[id]?.upload else { return }
        change(id) { item in
            var item = item
            item.upload = AttachmentUpload(total: upload.total)
            return item
        }
    }
}
