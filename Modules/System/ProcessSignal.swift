#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// The numbers of signals.
package enum ProcessSignal {
    package static let interrupt = SIGINT
    package static let terminate = SIGTERM
    package static let hangUp = SIGHUP
    package static let quit = SIGQUIT
    /// Ctrl-Z.
    package static let terminalStop = SIGTSTP
    package static let resume = SIGCONT
    package static let windowSize = SIGWINCH

    /// Stops this process until it is resumed. Cannot be caught.
    package static func stopThisProcess() { kill(getpid(), SIGSTOP) }
}

/// A signal that this process ignores, and its handler from before.
///
/// Unchecked `Sendable`: the handler is the address of a C function, or a number in place of one; it never changes and
/// owns nothing.
package struct IgnoredSignal: @unchecked Sendable {
    private let number: Int32
    private let former: (@convention(c) (Int32) -> Void)?

    /// Ignores the signal from now on.
    package init(_ number: Int32) {
        self.number = number
        former = signal(number, SIG_IGN)
    }

    /// Sets the handler from before.
    package func restore() { signal(number, former) }
}
