public import CausewayModels
import CausewayRuntime
import CausewaySync
public import Observation
import Synchronization

/// Users of a channel who are typing, or present, kept up to date on the main actor for as long as the object is held.
/// See ``CausewayClient/liveTyping(in:)`` and ``CausewayClient/livePresence(in:)``.
@MainActor @Observable
public final class LiveChannelUsers {
    /// The users, by name; empty while the server's events are not followed.
    public private(set) var users: [UserID]

    /// The same users for any task, at its own pace.
    public nonisolated let changes: ChannelUsers

    @ObservationIgnored private var observation: StatusObservation?

    init(_ changes: ChannelUsers, _ runtime: any Runtime) {
        self.changes = changes
        users = changes.now
        let turn = Turn()
        observation = changes.observe { [weak self] _ in
            guard turn.request() else { return }
            runtime.spawn { @MainActor in
                turn.begin()
                self?.update()
            }
        }
        // Changes before the observation began.
        update()
    }

    private func update() {
        let now = changes.now
        if now != users { users = now }
    }

    /// One turn of the main actor stands for all changes before it.
    private final class Turn: Sendable {
        private let isDue = Mutex(false)

        /// - Returns: false if a turn is due already.
        func request() -> Bool {
            isDue.withLock { isDue in
                defer { isDue = true }
                return !isDue
            }
        }

        func begin() { isDue.withLock { $0 = false } }
    }
}
