import CausewaySystem
import Dispatch
import Synchronization

/// The whole terminal, while a program draws on it.
///
/// It uses the terminal's alternate screen, so that the user's screen and settings are restored afterwards: by
/// ``leave()``, when a signal ends the program (SIGINT, SIGTERM, SIGHUP, SIGQUIT), and while the program is stopped
/// (Ctrl-Z); only SIGKILL leaves no time for that. A second ending signal takes effect at once, and so does the first
/// when the terminal consumes nothing any more.
///
/// ```
///  beginning ──▶ shown ──SIGTSTP──▶ stopped ──SIGCONT──▶ shown ──leave, signal──▶ over
/// ```
///
/// Thread-safe. Create only one in a process.
public final class TerminalScreen: Sendable {
    private enum Phase { case beginning, shown, stopped, over }

    /// Guarded by its lock, which is never held while the terminal is written to: a stalled terminal must not delay a
    /// signal.
    private struct State {
        var phase = Phase.beginning
        /// The displayed lines, row by row; empty when unknown.
        var shown: [TerminalLine] = []
        var size: TerminalSize
        var reader = TerminalKeyReader()
        var signals: TerminalSignals?
        var input: DispatchSourceHold?
    }

    /// Held while the terminal is written to and while the phase changes, so that frames and the restoring never
    /// interleave. Acquired before the lock of the state.
    private let output = Mutex(())

    /// Keys, redraws and signals. For one reader; when it falls behind, the oldest events are dropped.
    public let events: AsyncStream<TerminalEvent>

    private let device: TerminalDevice
    private let hasColours: Bool
    private let state: Mutex<State>
    private let eventsIn: AsyncStream<TerminalEvent>.Continuation
    private let queue = DispatchQueue(label: "causeway.terminal")

    private static let eventsWaitingMax = 1024
    /// The alternate screen, no wrapping at the edge, no cursor, cleared.
    private static let entry = "\u{1B}[?1049h\u{1B}[?7l\u{1B}[?25l\u{1B}[2J"
    /// Plain, wrapping, with a cursor, and back on the main screen.
    private static let exit = "\u{1B}[0m\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l"

    /// Takes over the terminal of standard output.
    ///
    /// Throws ``TerminalError`` when it is not a terminal, and changes nothing then.
    public init(hasColours: Bool) throws(TerminalError) {
        device = try TerminalDevice()
        self.hasColours = hasColours
        state = Mutex(State(size: device.size))
        (events, eventsIn) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(Self.eventsWaitingMax))
        let ending = [ProcessSignal.interrupt, ProcessSignal.terminate, ProcessSignal.hangUp, ProcessSignal.quit]
        // Before anything is changed: a signal that arrived in between would end the program and leave the terminal
        // changed.
        let others = [ProcessSignal.terminalStop, ProcessSignal.resume, ProcessSignal.windowSize]
        let signals = TerminalSignals(ending + others, on: queue) { [weak self] signal in
            self?.caught(signal, isEnding: ending.contains(signal))
        }
        state.withLock { $0.signals = signals }
        try takeOver()
    }

    private func takeOver() throws(TerminalError) {
        try output.withLock { _ throws(TerminalError) in
            // A signal that arrived meanwhile is among the events; the terminal stays as it is.
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

    /// The size as of the last event; a change is reported as ``TerminalEvent/redraw``.
    public var size: TerminalSize { state.withLock { $0.size } }

    /// Displays these lines, from the top; lines that do not fit are omitted. Only the differences from before are
    /// written.
    ///
    /// - Parameter cursor: the position of the cursor, counted from 0; hidden when `nil`.
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

    /// Restores the terminal and the original signal handlers. May be called twice.
    public func leave() {
        _ = giveBack(.over)
        // Outside the lock: this releases handlers that may be running.
        let signals = state.withLock { $0.signals.take() }
        withExtendedLifetime(signals) {}
        eventsIn.finish()
    }

    /// Ends this process by the signal of ``TerminalEvent/ended(signal:)``, so that its parent sees the cause.
    public static func end(by signal: Int32) -> Never { ProcessEnd.bySignal(signal) }

    /// - Returns: false when the terminal consumes nothing, not even this; its settings are restored all the same.
    private func giveBack(_ next: Phase) -> Bool {
        let isGivenBack = whileNobodyWrites {
            guard pass(to: next) else { return true }
            let isWritten = device.writePromptly(Self.exit)
            device.restore(waits: isWritten)
            return isWritten
        }
        if let isGivenBack { return isGivenBack }
        // Another thread is stuck in a frame.
        if pass(to: next) { device.restore(waits: false) }
        return false
    }

    /// - Returns: true when there is something to restore.
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

    /// Runs `body` while no frame is written. A writer that waits for a processor is waited for; only a terminal that
    /// consumes nothing is given up.
    ///
    /// - Returns: `nil` when another thread is writing and the terminal has consumed nothing for
    ///   ``TerminalDevice/patienceMilliseconds``, or far too slowly.
    private func whileNobodyWrites<Value: Sendable>(_ body: () -> Value) -> Value? {
        let pauseMilliseconds: Int32 = 10
        var (refusedMilliseconds, waitedMilliseconds): (Int32, Int32) = (0, 0)
        while refusedMilliseconds < TerminalDevice.patienceMilliseconds,
            waitedMilliseconds < TerminalDevice.patienceMillisecondsMax
        {
            if let value = output.withLockIfAvailable({ _ in body() }) { return value }
            refusedMilliseconds = device.takesMore ? 0 : refusedMilliseconds + pauseMilliseconds
            waitedMilliseconds += pauseMilliseconds
            SystemTime.pause(milliseconds: UInt32(pauseMilliseconds))
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
        guard !bytes.isEmpty else { return caught(ProcessSignal.hangUp, isEnding: true) }
        for key in state.withLock({ $0.reader.keys(in: bytes) }) { eventsIn.yield(.key(key)) }
    }

    private func caught(_ signal: Int32, isEnding: Bool) {
        if isEnding { return end(by: signal) }
        switch signal {
        case ProcessSignal.terminalStop: stop()
        case ProcessSignal.resume: goOn()
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
        // A thread that draws on a stalled terminal is blocked, and would never receive the event.
        guard giveBack(.over) else { ProcessEnd.bySignal(signal) }
        eventsIn.yield(.ended(signal: signal))
    }

    private func stop() {
        if state.withLock({ $0.phase == .over }) { return }
        _ = giveBack(.stopped)
        // Cannot be caught, so it stops the process as the caught signal would have.
        ProcessSignal.stopThisProcess()
    }

    private func goOn() {
        _ = whileNobodyWrites {
            let isShown = state.withLock { state in
                guard state.phase == .shown || state.phase == .stopped else { return false }
                // The shell that resumed a stopped program may have changed the terminal's settings meanwhile.
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
