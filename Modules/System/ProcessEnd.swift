#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Ways to end a process other than by an exit status.
package enum ProcessEnd {
    /// Ends this process with an exit status.
    package static func byStatus(_ status: Int32) -> Never { exit(status) }

    /// Ends this process by a signal, as if it had never been caught or ignored, so that its parent sees that cause.
    package static func bySignal(_ number: Int32) -> Never {
        signal(number, SIG_DFL)
        var set = sigset_t()
        unsafe sigemptyset(&set)
        unsafe sigaddset(&set, number)
        unsafe pthread_sigmask(SIG_UNBLOCK, &set, nil)
        // Sent to this thread: a signal to the process may be handled by another thread, and the line below would run
        // first.
        raise(number)
        _exit(128 + number)
    }

    /// Ends like other programs do when their output has no reader any more.
    package static func byClosedOutput() -> Never { bySignal(SIGPIPE) }
}
