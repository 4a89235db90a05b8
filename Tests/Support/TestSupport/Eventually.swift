import CausewayModels
import NIOCore
import NIOPosix

/// Polls for a condition, as tests of real processes and sockets must.
package enum Eventually {
    /// The error when the condition never held.
    package struct TookTooLong: Error, CustomStringConvertible {
        package let what: String

        package init(what: String) { self.what = what }

        package var description: String { "it never came about that \(what)" }
    }

    /// Returns when `condition` holds.
    ///
    /// - Parameters:
    ///   - what: named in the error, as in “it never came about that …”.
    ///   - limit: far more than it takes on a slow machine.
    ///   - pause: the time between two checks.
    package static func holds(
        _ what: @autoclosure () -> String, within limit: Duration = .seconds(300),
        lookingEvery pause: Duration = .milliseconds(10),
        _ condition: () async throws -> Bool
    ) async throws {
        let clock = ContinuousClock()
        let end = clock.now + limit
        while try await !condition() {
            guard clock.now < end else { throw TookTooLong(what: what()) }
            await pass(pause)
        }
    }

    /// Runs the body of a test that waits for others: when one of them never comes, the body is cancelled, so that the
    /// test fails instead of hanging.
    ///
    /// - Parameter limit: far more than the test takes on a slow machine.
    package static func ends<Value: Sendable>(
        within limit: Duration = .seconds(480), _ body: @Sendable () async throws -> Value
    ) async throws -> Value {
        try await withoutActuallyEscaping(body) { body in
            try await withThrowingTaskGroup(of: Value?.self) { group in
                group.addTask { try await body() }
                group.addTask {
                    let end = timer(limit)
                    await withTaskCancellationHandler {
                        try? await end.futureResult.get()
                    } onCancel: {
                        end.cancel()
                    }
                    return nil
                }
                defer { group.cancelAll() }
                guard let value = try await group.next() ?? nil else { throw TookTooLong(what: "the test ends") }
                return value
            }
        }
    }

    /// Lets time pass without blocking a thread: for times that a test chooses, never to wait for something.
    package static func pass(_ time: Duration) async {
        try? await timer(time).futureResult.get()
    }

    private static func timer(_ time: Duration) -> Scheduled<Void> {
        MultiThreadedEventLoopGroup.singleton.any().scheduleTask(in: .nanoseconds(time.wholeNanoseconds)) {}
    }
}

/// Lets other tasks run until a condition holds: for parts in this process that need no time.
///
/// Returns as well when the task is cancelled, as a test is at its time limit: a loop that does not look at that goes
/// on for ever, and the whole run with it.
package func until(
    isolation: isolated (any Actor)? = #isolation, _ holds: () async throws -> Bool
) async rethrows {
    while try await !holds(), !Task.isCancelled { await Task.yield() }
}

extension Duration {
    fileprivate var wholeNanoseconds: Int64 {
        let (seconds, attoseconds) = components
        return seconds * 1_000_000_000 + attoseconds / 1_000_000_000
    }
}
