import Dispatch
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The whole terminal, for as long as a program shows something on it.
///
/// It works on the terminal's second page, so that what the user had on it stands there again afterwards, and so do its
/// settings: after ``leave()``, when the program is told to end (SIGINT, SIGTERM, SIGHUP, SIGQUIT), and while it is
/// stopped (Ctrl-Z); only SIGKILL leaves no time for that. A second signal to end is obeyed at once.
///
/// ```
///  shown ──SIGTSTP──▶ stopped ──SIGCONT──▶ shown ──leave, signal──▶ over
/// ```
///
/// Thread-safe. Make one in a process.
public final class TerminalScreen: Sendable {
    private enum Phase { case shown, stopped, over }

    /// Guarded by its lock, which is held while the terminal is written to: frames and the way out never mix.
    private struct State {
        var phase = Phase.shown
        /// What stands there, row by row; empty when that is not known.
        var shown: [TerminalLine] = []
        var size: TerminalSize
        var reader = TerminalKeyReader()
        var signals: TerminalSignals?
        var input: DispatchSourceHold?
    }

    /// What happens from outside. For one reader; what it does not read in time is left out, the oldest first.
    public let events: AsyncStream<TerminalEvent>

    private let device: TerminalDevice
    private let hasColours: Bool
    private let state: Mutex<State>
    private let eventsIn: AsyncStream<TerminalEvent>.Continuation
    private let queue = DispatchQueue(label: "causeway.terminal")

    private static let eventsWaitingMax = 1024
    /// The second page, no wrapping at the edge, no cursor, nothing on it.
    private static let entry = "\u{1B}[?1049h\u{1B}[?7l\u{1B}[?25l\u{1B}[2J"
    /// Plain, wrapping, with a cursor, and back on the first page.
    private static let exit = "\u{1B}[0m\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l"

    /// Takes over the terminal of standard output.
    ///
    /// Throws ``TerminalError`` when it is none, and changes nothing then.
    public init(hasColours: Bool) throws(TerminalError) {
        device = try TerminalDevice()
        self.hasColours = hasColours
        state = Mutex(State(size: device.size))
        (events, eventsIn) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(Self.eventsWaitingMax))
        try device.makeRaw()
        device.write(Self.entry)
        let ending = [SIGINT, SIGTERM, SIGHUP, SIGQUIT]
        let signals = TerminalSignals(ending + [SIGTSTP, SIGCONT, SIGWINCH], on: queue) { [weak self] signal in
            self?.caught(signal, isEnding: ending.contains(signal))
        }
        let input = device.hasInput ? reading() : nil
        state.withLock { state in
            state.signals = signals
            state.input = input
        }
    }

    deinit { leave() }

    public var size: TerminalSize { state.withLock { $0.size } }

    /// Shows these lines, from the top; what does not fit is left out. Only what differs from before is written.
    ///
    /// - Parameter cursor: where the cursor is seen; hidden when `nil`. Counted from 0.
    public func draw(_ lines: [TerminalLine], cursor: (row: Int, column: Int)? = nil) {
        state.withLock { state in
            guard state.phase == .shown else { return }
            let size = state.size
            let isFresh = state.shown.isEmpty
            var frame = "\u{1B}[?25l" + (isFresh ? "\u{1B}[2J" : "")
            for row in 0..<size.rows {
                let line = row < lines.count ? lines[row].fitted(to: size.columns) : TerminalLine()
                if isFresh { state.shown.append(TerminalLine()) }
                guard state.shown[row] != line else { continue }
                state.shown[row] = line
                frame += "\u{1B}[\(row + 1);1H" + line.encoded(hasColours: hasColours) + "\u{1B}[K"
            }
            if let cursor {
                let (row, column) = (min(cursor.row, size.rows - 1), min(cursor.column, size.columns - 1))
                frame += "\u{1B}[\(row + 1);\(column + 1)H\u{1B}[?25h"
            }
            device.write(frame)
        }
    }

    /// Gives the terminal back as it was found. May be called twice.
    public func leave() {
        state.withLock { state in
            giveBack(&state)
            state.phase = .over
            state.input = nil
        }
        eventsIn.finish()
    }

    /// Ends this process by the signal of ``TerminalEvent/ended(signal:)``, so that its parent sees how it ended.
    public static func end(by signal: Int32) -> Never { TerminalSignals.end(by: signal) }

    private func giveBack(_ state: inout State) {
        guard state.phase == .shown else { return }
        device.write(Self.exit)
        device.restore()
        state.shown = []
    }

    // MARK: - From outside; on the queue

    private func reading() -> DispatchSourceHold {
        let source = DispatchSource.makeReadSource(fileDescriptor: device.input, queue: queue)
        source.setEventHandler { [weak self] in self?.typed() }
        source.resume()
        return DispatchSourceHold(source)
    }

    private func typed() {
        let bytes = device.read()
        // The terminal is gone.
        guard !bytes.isEmpty else { return caught(SIGHUP, isEnding: true) }
        for key in state.withLock({ $0.reader.keys(in: bytes) }) { eventsIn.yield(.key(key)) }
    }

    private func caught(_ signal: Int32, isEnding: Bool) {
        if isEnding { return end(by: signal) }
        switch signal {
        case SIGTSTP: stop()
        case SIGCONT: goOn()
        default:
            state.withLock { state in
                state.size = device.size
                state.shown = []
            }
            eventsIn.yield(.redraw)
        }
    }

    private func end(by signal: Int32) {
        let isSecond = state.withLock { state in
            defer {
                giveBack(&state)
                state.phase = .over
                state.input = nil
            }
            return state.phase == .over
        }
        if isSecond { TerminalSignals.end(by: signal) }
        eventsIn.yield(.ended(signal: signal))
    }

    private func stop() {
        state.withLock { state in
            guard state.phase == .shown else { return }
            giveBack(&state)
            state.phase = .stopped
        }
        // Cannot be caught, so it stops us as the signal that was caught would have.
        kill(getpid(), SIGSTOP)
    }

    private func goOn() {
        state.withLock { state in
            guard state.phase != .over else { return }
            // Whoever continues a stopped program may have set the terminal otherwise meanwhile.
            state.phase = .shown
            state.shown = []
            state.size = device.size
            try? device.makeRaw()
            device.write(Self.entry)
        }
        eventsIn.yield(.redraw)
    }
}
