#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The terminal of standard output, through the system's calls.
struct TerminalDevice: Sendable {
    let output: Int32 = STDOUT_FILENO
    let input: Int32 = STDIN_FILENO
    /// The settings when the program started.
    private let found: termios

    init() throws(TerminalError) {
        guard isatty(output) != 0 else { throw .notATerminal }
        var settings = termios()
        guard unsafe tcgetattr(output, &settings) == 0 else { throw .refused(errno: errno) }
        found = settings
    }

    /// Whether keys can be read.
    var hasInput: Bool { isatty(input) != 0 }

    /// Reads keys one by one without echo; signals keep working.
    func makeRaw() throws(TerminalError) {
        var settings = found
        settings.c_lflag &= ~tcflag_t(ECHO | ICANON | IEXTEN)
        settings.c_iflag &= ~tcflag_t(IXON | ICRNL)
        guard set(settings) else { throw .refused(errno: errno) }
    }

    /// Restores the original settings. Unread input is discarded: it was not meant for the next program.
    ///
    /// - Parameter waits: whether to wait until the written output is consumed; when it does not wait, no input is
    ///   discarded.
    func restore(waits: Bool) { _ = set(found, waits: waits) }

    private func set(_ settings: termios, waits: Bool = true) -> Bool {
        var settings = settings
        while unsafe tcsetattr(output, waits ? TCSAFLUSH : TCSANOW, &settings) != 0 {
            guard errno == EINTR else { return false }
        }
        return true
    }

    /// The size, at least one column and one row.
    var size: TerminalSize {
        var size = winsize()
        guard unsafe ioctl(output, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else {
            return TerminalSize(columns: 80, rows: 24)
        }
        return TerminalSize(columns: Int(size.ws_col), rows: Int(size.ws_row))
    }

    /// Writes the whole text, for as long as the terminal consumes it.
    func write(_ text: String) {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let written = unsafe bytes.withUnsafeBytes { unsafe Self.systemWrite(output, $0.baseAddress, $0.count) }
            if written > 0 {
                bytes = bytes.dropFirst(written)
            } else if written < 0, errno == EAGAIN {
                var place = pollfd(fd: output, events: Int16(POLLOUT), revents: 0)
                unsafe poll(&place, 1, -1)
            } else if written == 0 || errno != EINTR {
                return
            }
        }
    }

    /// Writes a few bytes, one by one: a terminal that is ready takes at least one without blocking.
    ///
    /// - Returns: false when the terminal consumed nothing for ``patienceMilliseconds``; true also when there is no
    ///   terminal any more.
    func writePromptly(_ text: String) -> Bool {
        for byte in text.utf8 {
            var place = pollfd(fd: output, events: Int16(POLLOUT), revents: 0)
            if unsafe poll(&place, 1, Self.patienceMilliseconds) == 0 { return false }
            var one = byte
            if unsafe Self.systemWrite(output, &one, 1) < 0, errno != EINTR, errno != EAGAIN { return true }
        }
        return true
    }

    /// Whether a byte can be written without blocking.
    var takesMore: Bool {
        var place = pollfd(fd: output, events: Int16(POLLOUT), revents: 0)
        return unsafe poll(&place, 1, 0) > 0
    }

    /// A terminal that consumes nothing for this long has stalled.
    static let patienceMilliseconds: Int32 = 1000
    /// The longest wait for a frame, even when the terminal consumes a byte now and then.
    static let patienceMillisecondsMax: Int32 = 30_000

    private static func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
        #if canImport(Glibc)
            unsafe Glibc.write(descriptor, bytes, count)
        #elseif canImport(Musl)
            unsafe Musl.write(descriptor, bytes, count)
        #else
            unsafe Darwin.write(descriptor, bytes, count)
        #endif
    }

    /// Returns the typed bytes; empty at the end.
    func read() -> [UInt8] {
        var buffer = [UInt8](repeating: 0, count: 1024)
        let count = unsafe Self.systemRead(input, &buffer, buffer.count)
        return count > 0 ? Array(buffer.prefix(count)) : []
    }

    private static func systemRead(_ descriptor: Int32, _ bytes: UnsafeMutableRawPointer?, _ count: Int) -> Int {
        #if canImport(Glibc)
            unsafe Glibc.read(descriptor, bytes, count)
        #elseif canImport(Musl)
            unsafe Musl.read(descriptor, bytes, count)
        #else
            unsafe Darwin.read(descriptor, bytes, count)
        #endif
    }
}

/// The size of a terminal.
public struct TerminalSize: Sendable, Hashable {
    public let columns: Int
    public let rows: Int

    public init(columns: Int, rows: Int) {
        self.columns = columns
        self.rows = rows
    }
}
