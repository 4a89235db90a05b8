import CausewayModels
import CausewayStorage

/// Uploads of attachments.
extension ModelStore {
    mutating func upload(_ id: MessageID, _ step: UploadStep, at time: Timestamp) {
        guard step == .startAgain else { return change(id) { $0.uploaded(step, at: time) } }
        guard let lost = items[id]?.withUploadLost() else { return }
        put(lost, as: id)
        resend(id, at: time)
    }
}
