package import Foundation
import Synchronization

/// A process that a test started, and ends.
package final class RunningProgram: Sendable {
    package let pid: Int32
    private let ending = Ending()

    package init(_ process: Process) throws {
        process.terminationHandler = { [ending] process in
            let bySignal = process.terminationReason == .uncaughtSignal
            ending.end(process.terminationStatus + (bySignal ? 128 : 0))
        }
        try process.runAlone()
        pid = process.processIdentifier
    }

    /// The exit status, or 128 and the signal that ended the process; waits for its end without blocking a thread.
    package func ended() async -> Int32 { await ending.wait() }

    /// Sends a signal and waits for the end.
    @discardableResult
    package func end(_ signal: Int32 = SIGTERM) async -> Int32 {
        if !ending.isOver { kill(pid, signal) }
        return await ending.wait()
    }

    package var isOver: Bool { ending.isOver }

    private struct State {
        var status: Int32?
        var waiters: [CheckedContinuation<Int32, Never>] = []
    }

    private final class Ending: Sendable {
        private let state = Mutex(State())

        var isOver: Bool { state.withLock { $0.status != nil } }

        func end(_ status: Int32) {
            let waiters = state.withLock { state in
                state.status = status
                defer { state.waiters = [] }
                return state.waiters
            }
            for waiter in waiters { waiter.resume(returning: status) }
        }

        func wait() async -> Int32 {
            await withCheckedContinuation { waiter in
                let status = state.withLock { state in
                    if state.status == nil { state.waiters.append(waiter) }
                    return state.status
                }
                if let status { waiter.resume(returning: status) }
            }
        }
    }
}

/// Serializes starts: the properties of this process that a start reads (its open files, its environment) must not be
/// changed meanwhile by another start.
private let starting = Mutex(())

extension Process {
    /// Starts the process like `run()`, but never concurrently with another start of these tests.
    package func runAlone() throws {
        try starting.withLock { _ in try run() }
    }
}
