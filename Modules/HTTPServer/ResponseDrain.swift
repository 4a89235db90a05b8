package import NIOCore

/// Waits until everything that was written of a response has been passed to the system.
///
/// Triggered as an outbound event on the connection's channel, after the writes. A writer that waits for it before it
/// makes the next part holds one part for a slow client, whatever the buffers of the connection.
package struct ResponseDrain: Sendable {
    let promise: EventLoopPromise<Void>

    /// Returns when the writes before this call have left, when the connection has ended, or when the task is
    /// cancelled.
    package static func wait(on channel: any Channel) async {
        let drain = ResponseDrain(promise: channel.eventLoop.makePromise())
        channel.triggerUserOutboundEvent(drain, promise: nil)
        await withTaskCancellationHandler {
            try? await drain.promise.futureResult.get()
        } onCancel: {
            drain.promise.succeed()
        }
    }
}
