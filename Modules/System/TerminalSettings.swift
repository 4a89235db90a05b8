#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// The settings of a terminal: how it treats what is typed.
package struct TerminalSettings: Sendable {
    private var flags: termios

    /// The settings of the terminal behind a descriptor.
    package init(of descriptor: Int32) throws(SystemError) {
        flags = termios()
        guard unsafe tcgetattr(descriptor, &flags) == 0 else { throw .last }
    }

    /// The same settings, but keys arrive one by one and without echo; signals keep working.
    package var raw: TerminalSettings {
        var changed = self
        changed.flags.c_lflag &= ~tcflag_t(ECHO | ICANON | IEXTEN)
        changed.flags.c_iflag &= ~tcflag_t(IXON | ICRNL)
        return changed
    }

    /// The same settings, but what is typed is not shown.
    package var silent: TerminalSettings {
        var changed = self
        changed.flags.c_lflag &= ~tcflag_t(ECHO)
        return changed
    }

    /// Makes these the settings of a terminal.
    ///
    /// - Parameter waits: whether to wait until the written output is consumed, and to discard unread input.
    package func apply(to descriptor: Int32, waits: Bool = true) throws(SystemError) {
        var flags = flags
        while unsafe tcsetattr(descriptor, waits ? TCSAFLUSH : TCSANOW, &flags) != 0 {
            guard errno == EINTR else { throw .last }
        }
    }

    /// The columns and rows of a terminal; `nil` if it does not say.
    package static func size(of descriptor: Int32) -> (columns: Int, rows: Int)? {
        var size = winsize()
        guard unsafe ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
        return (Int(size.ws_col), Int(size.ws_row))
    }
}
