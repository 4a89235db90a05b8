@preconcurrency import Dispatch

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Signals as calls on one queue, for as long as this is held.
final class TerminalSignals: Sendable {
    // Unchecked by the compiler: sources are thread-safe, and are only kept here to be cancelled.
    private let sources: [any DispatchSourceSignal & Sendable]

    init(_ signals: [Int32], on queue: DispatchQueue, _ handler: @escaping @Sendable (Int32) -> Void) {
        sources = signals.map { number in
            // Otherwise the signal would do what it always does, besides.
            unsafe signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
            source.setEventHandler { handler(number) }
            source.resume()
            return source
        }
    }

    deinit { for source in sources { source.cancel() } }

    /// Ends this process by a signal, as if it had never been caught: its parent sees how it ended.
    static func end(by number: Int32) -> Never {
        unsafe signal(number, SIG_DFL)
        var set = unsafe sigset_t()
        unsafe sigemptyset(&set)
        unsafe sigaddset(&set, number)
        unsafe pthread_sigmask(SIG_UNBLOCK, &set, nil)
        kill(getpid(), number)
        exit(128 + number)
    }
}
