import CausewayModels
import Synchronization

/// The size of the largest file that a server accepts: the client's own limit until the server has named one.
final class FileSizeLimit: Sendable {
    private let value = Mutex(Limits.fileBytesMax)

    var bytes: Int64 { value.withLock { $0 } }

    /// - Parameter bytes: as the server names it; a negative number is ignored.
    func learn(_ bytes: Int64) {
        guard bytes >= 0 else { return }
        value.withLock { $0 = min(bytes, Limits.fileBytesMax) }
    }
}
