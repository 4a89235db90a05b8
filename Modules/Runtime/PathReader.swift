import CausewaySystem
import Synchronization

/// Turns the kernel's network path into statuses, leaving out what is not a change.
final class PathReader: Sendable {
    private struct State {
        var path: NetworkPath?
        /// The addresses of the last path that was available.
        var addresses: Set<String> = []
        var number = 0
        /// True while every address that the reader of the stream may rely on is still there. A status that was
        /// replaced before it was read counts, too.
        var keptAddresses = true
    }

    private let state = Mutex(State())
    private let continuation: AsyncStream<NetworkStatus>.Continuation

    private let currentPath: @Sendable () -> NetworkPath

    init(
        _ continuation: AsyncStream<NetworkStatus>.Continuation, _ currentPath: @escaping @Sendable () -> NetworkPath
    ) {
        self.continuation = continuation
        self.currentPath = currentPath
    }

    /// Reads the path, and reports it if it has changed.
    func read() {
        state.withLock { state in
            let path = currentPath()
            guard path != state.path else { return }
            state.number += 1
            state.path = path
            let status: NetworkStatus
            if path.isAvailable {
                state.keptAddresses = state.keptAddresses && path.addresses.isSuperset(of: state.addresses)
                state.addresses = path.addresses
                status = .available(path: state.number, keptAddresses: state.keptAddresses)
            } else {
                status = .unavailable
            }
            // A status that it replaces was never read.
            if case .dropped = continuation.yield(status) { return }
            if path.isAvailable { state.keptAddresses = true }
        }
    }
}
