#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The three standard descriptors of every program, made safe to use.
package enum StandardStreams {
    /// Prepares the process. The first call of every program's `main`.
    ///
    /// - A closed pipe is an error of the write, not a signal that ends the program.
    /// - A descriptor that the caller closed is occupied, so that no file or socket of the program gets its number and
    ///   then receives text for the terminal. Writing to it fails as before.
    /// - Buffered output of `print` and the help is checked at the end: status 74 (`EX_IOERR`) if it could not be
    ///   written, and an end by SIGPIPE if it has no reader.
    package static func prepare() {
        signal(SIGPIPE, SIG_IGN)
        for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) < 0 {
            // The lowest free number is used, which is this one. Opened such that a use in the wrong direction fails
            // with EBADF.
            _ = unsafe open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY)
        }
        atexit { StandardStreams.flush() }
    }

    package static var isInputTerminal: Bool { isatty(STDIN_FILENO) != 0 }
    package static var isOutputTerminal: Bool { isatty(STDOUT_FILENO) != 0 }
    package static var isErrorTerminal: Bool { isatty(STDERR_FILENO) != 0 }

    private static func flush() {
        guard fflush(nil) != 0 else { return }
        if errno == EPIPE { ProcessEnd.byClosedOutput() }
        let problem = "standard output cannot be written: \(SystemWords.words(for: errno))\n"
        try? OutputHandle.standardError.write(problem)
        _exit(74)
    }
}
