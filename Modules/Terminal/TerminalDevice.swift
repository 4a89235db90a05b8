import CausewaySystem

/// The terminal of standard output, through the system's calls.
struct TerminalDevice: Sendable {
    private let output = OutputHandle.standardOutput
    private let keyboard = InputHandle.standardInput
    /// The settings when the program started.
    private let found: TerminalSettings

    init() throws(TerminalError) {
        guard StandardStreams.isOutputTerminal else { throw .notATerminal }
        do throws(SystemError) {
            found = try TerminalSettings(of: OutputHandle.standardOutput.descriptor)
        } catch {
            throw .refused(errno: error.code)
        }
    }

    /// Whether keys can be read.
    var hasInput: Bool { StandardStreams.isInputTerminal }

    /// The descriptor that keys are read from.
    var input: Int32 { keyboard.descriptor }

    /// Reads keys one by one without echo; signals keep working.
    func makeRaw() throws(TerminalError) {
        do throws(SystemError) {
            try found.raw.apply(to: output.descriptor)
        } catch {
            throw .refused(errno: error.code)
        }
    }

    /// Restores the original settings. Unread input is discarded: it was not meant for the next program.
    ///
    /// - Parameter waits: whether to wait until the written output is consumed; when it does not wait, no input is
    ///   discarded.
    func restore(waits: Bool) { try? found.apply(to: output.descriptor, waits: waits) }

    /// The size, at least one column and one row.
    var size: TerminalSize {
        guard let size = TerminalSettings.size(of: output.descriptor), size.rows > 0 else {
            return TerminalSize(columns: 80, rows: 24)
        }
        return TerminalSize(columns: size.columns, rows: size.rows)
    }

    /// Writes the whole text, for as long as the terminal consumes it.
    func write(_ text: String) { try? output.write(text) }

    /// Writes a few bytes, one by one: a terminal that is ready takes at least one without blocking.
    ///
    /// - Returns: false when the terminal consumed nothing for ``patienceMilliseconds``; true also when there is no
    ///   terminal any more.
    func writePromptly(_ text: String) -> Bool {
        for byte in text.utf8 {
            guard output.isReady(within: Self.patienceMilliseconds) else { return false }
            do throws(OutputError) {
                _ = try output.writeOnce([byte])
            } catch {
                if !error.isTemporary { return true }
            }
        }
        return true
    }

    /// Whether a byte can be written without blocking.
    var takesMore: Bool { output.isReady(within: 0) }

    /// A terminal that consumes nothing for this long has stalled.
    static let patienceMilliseconds: Int32 = 1000
    /// The longest wait for a frame, even when the terminal consumes a byte now and then.
    static let patienceMillisecondsMax: Int32 = 30_000

    /// Returns the typed bytes; empty at the end.
    func read() -> [UInt8] { (try? keyboard.read(upTo: 1024)) ?? [] }
}

/// The size of a terminal.
public struct TerminalSize: Sendable, Hashable {
    /// Characters in a row.
    public let columns: Int
    /// The rows.
    public let rows: Int

    /// Creates a size, in characters.
    public init(columns: Int, rows: Int) {
        self.columns = columns
        self.rows = rows
    }
}

/// The reason why there is no screen.
public enum TerminalError: Error, Sendable, Hashable, CustomStringConvertible {
    /// Standard output is not a terminal.
    case notATerminal
    /// The terminal cannot be configured.
    case refused(errno: Int32)

    public var description: String {
        switch self {
        case .notATerminal: "standard output is not a terminal"
        case .refused(let errno): "the terminal cannot be set up (error \(errno))"
        }
    }
}
