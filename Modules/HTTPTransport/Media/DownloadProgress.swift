import Synchronization

/// The number of bytes of a file that were passed on, and whether the server sent more than the file has.
final class DownloadProgress: Sendable {
    private struct State {
        var offset: Int64
        var isExceeded = false
    }

    private let size: Int64
    private let state: Mutex<State>

    /// - Parameter size: of the whole file.
    init(at offset: Int64, of size: Int64) {
        self.size = size
        state = Mutex(State(offset: offset))
    }

    var offset: Int64 { state.withLock { $0.offset } }

    /// Whether bytes have come that the file does not have.
    var isExceeded: Bool { state.withLock { $0.isExceeded } }

    /// Bytes have come.
    ///
    /// - Returns: false if the file does not have as many more; it is exceeded from then on.
    func arrived(_ count: Int) -> Bool {
        state.withLock { state in
            if Int64(count) > size - state.offset { state.isExceeded = true }
            return !state.isExceeded
        }
    }

    /// Bytes were passed on.
    func passedOn(_ count: Int) { state.withLock { $0.offset += Int64(count) } }
}
