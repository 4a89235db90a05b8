package import Dispatch

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Signals as calls on one queue, for as long as this is held. Soon afterwards they do what they did before.
package final class TerminalSignals: Sendable {
    /// What a signal did before.
    ///
    /// Unchecked: the address of a C function, or a number in place of one; it never changes, and nothing hangs on it.
    private struct Found: @unchecked Sendable {
        let number: Int32
        let handler: (@convention(c) (Int32) -> Void)?
    }

    private let sources: [DispatchSourceHold]

    /// Returns when all of them are caught; not to be called on the queue. One that comes while this runs may be lost.
    package init(_ signals: [Int32], on queue: DispatchQueue, _ handler: @escaping @Sendable (Int32) -> Void) {
        let registered = DispatchSemaphore(value: 0)
        sources = signals.map { number in
            // Otherwise the signal would do what it always does, besides.
            let found = Found(number: number, handler: signal(number, SIG_IGN))
            let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
            source.setEventHandler { handler(number) }
            // Until the system knows of the source, the signal would be ignored.
            source.setRegistrationHandler { registered.signal() }
            // Only then does the system not know of it any more.
            source.setCancelHandler { signal(found.number, found.handler) }
            source.resume()
            return DispatchSourceHold(source)
        }
        for _ in signals { registered.wait() }
    }
}

/// A dispatch source, cancelled when nobody holds this any more.
///
/// Unchecked: sources are thread-safe, but are not declared to be; this one is only cancelled.
final class DispatchSourceHold: @unchecked Sendable {
    private let source: any DispatchSourceProtocol

    init(_ source: any DispatchSourceProtocol) { self.source = source }

    deinit { source.cancel() }
}
