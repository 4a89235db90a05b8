package import CausewayModels
import CausewayRuntime
import CausewayTransport
import Synchronization

/// The ephemeral events of the session's channels, for screens, which read and observe them without waiting for the
/// engine.
///
/// Owned by the engine, which alone changes them, except for their ends by time. Observers are called after a change,
/// outside the lock.
package final class EphemeralFeed: Sendable {
    private struct State {
        var cache = EphemeralCache()
        /// The session's user, who is not shown as typing.
        var user: UserID?
        var observers: [ChannelID: [Int: @Sendable (_ isLast: Bool) -> Void]] = [:]
        var lastObserver = 0
        var timer: (deadline: MonotonicTime, task: RuntimeTask)?
        var hasEnded = false
    }

    private let runtime: any Runtime
    private let state = Mutex(State())

    init(_ runtime: any Runtime) { self.runtime = runtime }

    // MARK: - Readers

    /// The other users who are typing, by name.
    package func typing(in channel: ChannelID) -> [UserID] {
        let now = runtime.now
        return state.withLock { state in state.cache.typing(in: channel, at: now).filter { $0 != state.user } }
    }

    /// The users who are present, by name.
    package func present(in channel: ChannelID) -> [UserID] { state.withLock { $0.cache.present(in: channel) } }

    /// - Parameter observer: called on any thread after a change in the channel; must return quickly and must not call
    ///   the engine. `isLast` is true when the client was closed.
    package func observe(
        _ channel: ChannelID, _ observer: @escaping @Sendable (_ isLast: Bool) -> Void
    ) -> StatusObservation {
        let (number, hasEnded) = state.withLock { state in
            state.lastObserver += 1
            if !state.hasEnded { state.observers[channel, default: [:]][state.lastObserver] = observer }
            return (state.lastObserver, state.hasEnded)
        }
        if hasEnded { observer(true) }
        return StatusObservation { [weak self] in self?.removeObserver(number, of: channel) }
    }

    private func removeObserver(_ number: Int, of channel: ChannelID) {
        let removed = state.withLock { state in
            defer { if state.observers[channel]?.isEmpty == true { state.observers[channel] = nil } }
            return state.observers[channel]?.removeValue(forKey: number)
        }
        withExtendedLifetime(removed) {}
    }

    // MARK: - The engine

    func apply(_ update: EphemeralUpdate, of user: UserID?) {
        let now = runtime.now
        change { state in
            state.user = user
            return state.cache.apply(update, at: now)
        }
    }

    func remove(_ channel: ChannelID) { change { $0.cache.remove(channel) } }

    func clear() { change { $0.cache.clear() } }

    func end() {
        clear()
        let observers = state.withLock { state in
            defer { state.observers = [:] }
            state.hasEnded = true
            return state.observers.values.flatMap(\.values)
        }
        for observer in observers { observer(true) }
    }

    // MARK: - Changes

    private func change(_ body: (inout sending State) -> Set<ChannelID>) {
        let observers = state.withLock { state in
            let changed = body(&state)
            setTimer(&state)
            return changed.flatMap { state.observers[$0]?.values.map(\.self) ?? [] }
        }
        for observer in observers { observer(false) }
    }

    /// Starts or stops the wait for the end of the next value.
    private func setTimer(_ state: inout State) {
        let deadline = state.cache.nextDeadline
        guard state.timer?.deadline != deadline else { return }
        state.timer?.task.cancel()
        state.timer = deadline.map { deadline in
            let task = runtime.spawn { [runtime, weak self] in
                await runtime.sleep(until: deadline)
                self?.timerFired(deadline)
            }
            return (deadline, task)
        }
    }

    private func timerFired(_ deadline: MonotonicTime) {
        let now = runtime.now
        change { state in
            guard state.timer?.deadline == deadline, deadline <= now else { return [] }
            state.timer = nil
            return state.cache.removeExpired(at: now)
        }
    }
}
