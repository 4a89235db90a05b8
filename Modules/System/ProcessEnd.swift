#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The ends of a process that are no plain exit status.
package enum ProcessEnd {
    /// Ends this process by a signal, as if it had never been caught or ignored: its parent sees how it ended.
    package static func bySignal(_ number: Int32) -> Never {
        signal(number, SIG_DFL)
        var set = sigset_t()
        unsafe sigemptyset(&set)
        unsafe sigaddset(&set, number)
        unsafe pthread_sigmask(SIG_UNBLOCK, &set, nil)
        // To this thread: one sent to the process may find another, and the line below would come first.
        raise(number)
        _exit(128 + number)
    }

    /// Ends as programs do whose output nobody reads any more.
    package static func byClosedOutput() -> Never { bySignal(SIGPIPE) }
}
