package import NIOCore
internal import Synchronization

/// The moment at which everything that was written of a response has been passed to the system.
///
/// A writer that waits for it before it makes the next part holds one part for a slow client, whatever the buffers of
/// the connection.
package final class ResponseDrain: Sendable {
    /// Sent to the connection after the writes, as an outbound event, and released by it when they have left.
    final class Event: Sendable {
        fileprivate let drain: ResponseDrain

        fileprivate init(_ drain: ResponseDrain) { self.drain = drain }

        deinit { drain.end() }
    }

    private struct State {
        var hasEnded = false
        var isCancelled = false
        var waiting: CheckedContinuation<Void, Never>?
    }

    private let onEnd: @Sendable () -> Void
    private let state = Mutex(State())

    private init(_ onEnd: @escaping @Sendable () -> Void) { self.onEnd = onEnd }

    /// To be called after the writes.
    ///
    /// - Parameter onEnd: is called when they have left, or the connection has ended.
    package static func begin(on channel: any Channel, onEnd: @escaping @Sendable () -> Void = {}) -> ResponseDrain {
        let drain = ResponseDrain(onEnd)
        channel.triggerUserOutboundEvent(Event(drain), promise: nil)
        return drain
    }

    /// Returns when the writes have left, when the connection has ended, or when the wait or the task is cancelled.
    /// Called by one task at a time.
    package func wait() async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    guard !state.hasEnded, !state.isCancelled else { return true }
                    state.waiting = continuation
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            cancel()
        }
    }

    /// Ends the wait, also a later one; what was written leaves all the same.
    package func cancel() {
        state.withLock { state in
            state.isCancelled = true
            return state.waiting.take()
        }?.resume()
    }

    private func end() {
        let waiting = state.withLock { state in
            state.hasEnded = true
            return state.waiting.take()
        }
        onEnd()
        waiting?.resume()
    }
}
