import Synchronization

/// A caller's closure for the parts of a body, until it is released.
///
/// A connection may hold the receiver of a transfer a moment longer than the call that began it, but a closure that
/// does not escape from that call must not be held any longer.
///
/// ```swift
/// try await withoutActuallyEscaping(body) { (body) async throws(StoreError) in
///     let sink = BodySink(body)
///     defer { sink.release() }
///     …
/// }
/// ```
package final class BodySink<Failure: Error>: Sendable {
    package typealias Body = @Sendable (_ part: [UInt8]) async throws(Failure) -> Void

    /// Held in the lock directly, the closure would be wrapped once more each time the lock is taken.
    private struct Receiver {
        let receive: Body
    }

    private let receiver: Mutex<Receiver?>

    package init(_ receive: @escaping Body) { receiver = Mutex(Receiver(receive: receive)) }

    /// Passes a part on; does nothing after ``release()``. Each call costs the same, however many came before it.
    package func receive(_ part: [UInt8]) async throws(Failure) {
        guard let receiver = receiver.withLock({ $0 }) else { return }
        try await receiver.receive(part)
    }

    /// The closure is not called any longer. A call that has begun goes on.
    package func release() { receiver.withLock { $0 = nil } }
}
