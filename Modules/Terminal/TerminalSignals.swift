import Dispatch

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Signals as calls on one queue, for as long as this is held.
final class TerminalSignals: Sendable {
    private let sources: [DispatchSourceHold]

    init(_ signals: [Int32], on queue: DispatchQueue, _ handler: @escaping @Sendable (Int32) -> Void) {
        sources = signals.map { number in
            // Otherwise the signal would do what it always does, besides.
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
            source.setEventHandler { handler(number) }
            source.resume()
            return DispatchSourceHold(source)
        }
    }

    /// Ends this process by a signal, as if it had never been caught: its parent sees how it ended.
    static func end(by number: Int32) -> Never {
        signal(number, SIG_DFL)
        var set = sigset_t()
        unsafe sigemptyset(&set)
        unsafe sigaddset(&set, number)
        unsafe pthread_sigmask(SIG_UNBLOCK, &set, nil)
        // To this thread: one sent to the process may find another, and the line below would come first.
        raise(number)
        exit(128 + number)
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
