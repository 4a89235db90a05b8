internal import Synchronization

/// Deliberate faults of a hub, for tests. Passed in where a hub is constructed in process; no input of a released hub
/// (network, flags, environment, files) can create one.
///
/// Faults are applied in the order in which they were injected; each is used up after its `times`. Safe on any thread.
package final class HubFaults: Sendable {
    package enum Fault: Sendable, Equatable {
        /// The request is not read and gets this response, with the header `Retry-After` if given.
        case respond(status: Int, code: String, retryAfter: String? = nil)
        /// The request is not read and gets a page that is not the hub's, as from a captive portal.
        case foreignPage(status: Int)
        /// The connection is cut before anything is applied.
        case cutBefore
        /// The request is applied and committed, then the connection is cut without a response.
        case cutAfter
        /// The response begins, and then cannot be completed.
        case brokenBody
        /// The request is not read until it is released.
        case hold(Hold)
        /// The operation with this or a later sequence is answered with `tryLater`.
        case tryLater(fromSequence: Int64, after: Duration? = nil)
    }

    /// Holds a request, the first that it is applied to.
    package final class Hold: Sendable, Equatable {
        private enum State {
            case expected, released
            case held(CheckedContinuation<Void, Never>)
        }

        private let state = Mutex(State.expected)

        package init() {}

        /// Whether the request has arrived and waits.
        package var isHeld: Bool { state.withLock { if case .held = $0 { true } else { false } } }

        /// Lets the request continue, whether it has arrived or not.
        package func release() {
            let continuation = state.withLock { state -> CheckedContinuation<Void, Never>? in
                defer { state = .released }
                if case .held(let continuation) = state { return continuation }
                return nil
            }
            continuation?.resume()
        }

        func wait() async {
            await withCheckedContinuation { continuation in
                let isExpected = state.withLock { state in
                    guard case .expected = state else { return false }
                    state = .held(continuation)
                    return true
                }
                if !isExpected { continuation.resume() }
            }
        }

        package static func == (one: Hold, other: Hold) -> Bool { one === other }
    }

    /// The requests that a fault applies to.
    package enum Scope: Sendable, Equatable { case deliveries, everything }

    private struct Entry {
        let fault: Fault
        let scope: Scope
        var times: Int?
    }

    private struct State {
        var entries: [Entry] = []
        var deliveries = 0
    }

    private let state = Mutex(State())

    package init() {}

    /// - Parameter times: the number of affected requests; `nil` for all until ``clear()``.
    package func inject(_ fault: Fault, on scope: Scope = .deliveries, times: Int? = nil) {
        state.withLock { $0.entries.append(Entry(fault: fault, scope: scope, times: times)) }
    }

    /// Removes all faults.
    package func clear() {
        state.withLock { $0.entries = [] }
    }

    /// Deliveries that reached the hub with a valid token, including those affected by faults.
    package var deliveriesSeen: Int { state.withLock { $0.deliveries } }

    /// Returns the fault for the next request.
    func next(_ scope: Scope) -> Fault? {
        state.withLock { state in
            if scope == .deliveries { state.deliveries += 1 }
            guard let index = state.entries.firstIndex(where: { $0.scope == scope && $0.times != 0 }) else {
                return nil
            }
            if let times = state.entries[index].times { state.entries[index].times = times - 1 }
            return state.entries[index].fault
        }
    }
}
