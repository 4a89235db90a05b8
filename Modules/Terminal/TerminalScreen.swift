import CausewaySystem
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
/// stopped (Ctrl-Z); only SIGKILL leaves no time for that. A second signal to end is obeyed at once, and so is the
/// first when the terminal takes nothing any more.
///
/// ```
///  beginning ──▶ shown ──SIGTSTP──▶ stopped ──SIGCONT──▶ shown ──leave, signal──▶ over
/// ```
///
/// Thread-safe. Make one in a process.
public final class TerminalScreen: Sendable {
    private enum Phase { case beginning, shown, stopped, over }

    /// Guarded by its lock, which is never held while the terminal is written to: one that takes nothing must not keep
    /// a signal waiting.
    private struct State {
        var phase = Phase.beginning
        /// What stands there, row by row; empty when that is not known.
        var shown: [TerminalLine] = []
        var size: TerminalSize
        var reader = TerminalKeyReader()
        var signals: TerminalSignals?
        var input: DispatchSourceHold?
    }

    /// Held while the terminal is written to and while the phase changes, so that frames and the way out never mix.
    /// Taken before the lock of the state.
    private let output = Mutex(())

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
        let ending = [SIGINT, SIGTERM, SIGHUP, SIGQUIT]
        // Before anything is changed: a signal that came in between would end the program and leave it so.
        let signals = TerminalSignals(ending + [SIGTSTP, SIGCONT, SIGWINCH], on: queue) { [weak self] signal in
            self?.caught(signal, isEnding: ending.contains(signal))
        }
        state.withLock { $0.signals = signals }
        try takeOver()
    }

    private func takeOver() throws(TerminalError) {
        try output.withLock { _ throws(TerminalError) in
            // A signal that came meanwhile is among the events; the terminal stays as it is.
            guard state.withLock({ $0.phase == .beginning }) else { return }
            try device.makeRaw()
            let input = device.hasInput ? reading() : nil
            state.withLock { state in
                state.phase = .shown
                state.input = input
            }
            device.write(Self.entry)
        }
    }

    deinit { leave() }

    public var size: TerminalSize { state.withLock { $0.size } }

    /// Shows these lines, from the top; what does not fit is left out. Only what differs from before is written.
    ///
    /// - Parameter cursor: where the cursor is seen; hidden when `nil`. Counted from 0.
    public func draw(_ lines: [TerminalLine], cursor: (row: Int, column: Int)? = nil) {
        output.withLock { _ in
            guard let frame = state.withLock({ frame(lines, cursor, &$0) }) else { return }
            device.write(frame)
        }
    }

    private func frame(_ lines: [TerminalLine], _ cursor: (row: Int, column: Int)?, _ state: inout State) -> String? {
        guard state.phase == .shown else { return nil }
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
        return frame
    }

    /// Gives the terminal back as it was found, and lets signals do what they did before. May be called twice.
    public func leave() {
        _ = giveBack(.over)
        // After the lock: it lets go of what may be running.
        let signals = state.withLock { $0.signals.take() }
        withExtendedLifetime(signals) {}
        eventsIn.finish()
    }

    /// Ends this process by the signal of ``TerminalEvent/ended(signal:)``, so that its parent sees how it ended.
    public static func end(by signal: Int32) -> Never { ProcessEnd.bySignal(signal) }

    /// - Returns: false when the terminal takes nothing, not even this; its settings are given back all the same.
    private func giveBack(_ next: Phase) -> Bool {
        let isGivenBack = whileNobodyWrites {
            guard pass(to: next) else { return true }
            let isWritten = device.writePromptly(Self.exit)
            device.restore(waits: isWritten)
            return isWritten
        }
        if let isGivenBack { return isGivenBack }
        // Somebody hangs in a frame.
        if pass(to: next) { device.restore(waits: false) }
        return false
    }

    /// - Returns: true when there is something to give back.
    private func pass(to next: Phase) -> Bool {
        state.withLock { state in
            defer {
                if state.phase != .over { state.phase = next }
                if next == .over { state.input = nil }
                state.shown = []
            }
            return state.phase == .shown
        }
    }

    /// A writer that waits for a processor is waited for; only a terminal that takes nothing is given up.
    ///
    /// - Returns: `nil` when another thread is writing and the terminal has taken nothing for as long as
    ///   ``TerminalDevice/patienceMilliseconds`` says, or far too slowly.
    private func whileNobodyWrites<Value: Sendable>(_ body: () -> Value) -> Value? {
        let pauseMilliseconds: Int32 = 10
        var (refusedMilliseconds, waitedMilliseconds): (Int32, Int32) = (0, 0)
        while refusedMilliseconds < TerminalDevice.patienceMilliseconds,
            waitedMilliseconds < TerminalDevice.patienceMillisecondsMax
        {
            if let value = output.withLockIfAvailable({ _ in body() }) { return value }
            refusedMilliseconds = device.takesMore ? 0 : refusedMilliseconds + pauseMilliseconds
            waitedMilliseconds += pauseMilliseconds
            usleep(UInt32(pauseMilliseconds) * 1000)
        }
        return nil
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
        if state.withLock({ $0.phase == .over }) { ProcessEnd.bySignal(signal) }
        // Whoever shows something on a terminal that takes nothing hangs there, and would never hear of it.
        guard giveBack(.over) else { ProcessEnd.bySignal(signal) }
        eventsIn.yield(.ended(signal: signal))
    }

    private func stop() {
        if state.withLock({ $0.phase == .over }) { return }
        _ = giveBack(.stopped)
        // Cannot be caught, so it stops us as the signal that was caught would have.
        kill(getpid(), SIGSTOP)
    }

    private func goOn() {
        _ = whileNobodyWrites {
            let isShown = state.withLock { state in
                guard state.phase == .shown || state.phase == .stopped else { return false }
                // Whoever continues a stopped program may have set the terminal otherwise meanwhile.
                state.phase = .shown
                state.shown = []
                state.size = device.size
                return true
            }
            guard isShown else { return }
            try? device.makeRaw()
            _ = device.writePromptly(Self.entry)
        }
        eventsIn.yield(.redraw)
    }
}
