import CausewaySystem
package import Dispatch

/// Delivers signals as calls on one queue until it is released. Soon afterwards the previous handlers are restored.
package final class TerminalSignals: Sendable {
    private let sources: [DispatchSourceHold]

    /// Returns when all signals are caught; must not be called on the queue. A signal that arrives during the call may
    /// be lost.
    package init(_ signals: [Int32], on queue: DispatchQueue, _ handler: @escaping @Sendable (Int32) -> Void) {
        let registered = DispatchSemaphore(value: 0)
        sources = signals.map { number in
            // Otherwise the default action would be taken as well.
            let ignored = IgnoredSignal(number)
            let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
            source.setEventHandler { handler(number) }
            // Until the source is registered, the signal would be ignored.
            source.setRegistrationHandler { registered.signal() }
            // Only at this point is the source unregistered.
            source.setCancelHandler { ignored.restore() }
            source.resume()
            return DispatchSourceHold(source)
        }
        for _ in signals { registered.wait() }
    }
}

/// A dispatch source that is cancelled when this object is released.
///
/// Unchecked `Sendable`: sources are thread-safe, but are not declared to be; this one is only cancelled.
final class DispatchSourceHold: @unchecked Sendable {
    private let source: any DispatchSourceProtocol

    init(_ source: any DispatchSourceProtocol) { self.source = source }

    deinit { source.cancel() }
}
