import CausewayControlAPI
import Synchronization

/// Lets one login after the other through, in the order in which they came.
///
/// A login replaces the certificate settings of its server, and puts the former ones back when it fails. Two at a time
/// would put back what the other one has just replaced.
final class LoginQueue: Sendable {
    private struct State {
        var isBusy = false
        var waiting: [CheckedContinuation<Bool, Never>] = []
    }

    private let state = Mutex(State())

    /// The logins that wait for their turn.
    var waitingCount: Int { state.withLock { $0.waiting.count } }

    /// Returns when it is this login's turn, which ``leave()`` ends.
    ///
    /// Throws ``ControlError/Code/busy`` when too many wait.
    func enter() async throws(ControlError) {
        let isAdmitted = await withCheckedContinuation { (continuation: CheckedContinuation<Bool, Never>) in
            let isAdmitted = state.withLock { state -> Bool? in
                guard state.isBusy else {
                    state.isBusy = true
                    return true
                }
                guard state.waiting.count < ControlServerLimits.loginsWaitingMax else { return false }
                state.waiting.append(continuation)
                return nil
            }
            if let isAdmitted { continuation.resume(returning: isAdmitted) }
        }
        guard isAdmitted else { throw ControlError(.busy, "too many logins at the same time; try again later") }
    }

    /// Ends the turn of a login: the next one begins.
    func leave() {
        let next = state.withLock { state -> CheckedContinuation<Bool, Never>? in
            guard !state.waiting.isEmpty else {
                state.isBusy = false
                return nil
            }
            return state.waiting.removeFirst()
        }
        next?.resume(returning: true)
    }
}
