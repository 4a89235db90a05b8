import Synchronization

/// The destination of a program's log lines. Never fails and never delays the program for long: a line that cannot be
/// written (the disk is full, the pipe has no reader) is dropped and counted.
///
/// The next line that can be written is preceded by one with the count. Any thread may write; lines are never mixed.
package final class LogOutput: Sendable {
    package static let standardError = LogOutput(.standardError)

    private struct State {
        /// Lines dropped since the last one that was written.
        var lost = 0
        /// True if the last line was written only in part.
        var isTorn = false
        /// The descriptor did not become ready in time; there is no further wait for it until it does.
        var isStalled = false
    }

    private let handle: OutputHandle
    private let patienceMilliseconds: Int32
    private let state = Mutex(State())

    /// - Parameter patienceMilliseconds: the time to wait for a stalled reader, once.
    package init(_ handle: OutputHandle, patienceMilliseconds: Int32 = LogLimits.patienceMilliseconds) {
        self.handle = handle
        self.patienceMilliseconds = patienceMilliseconds
    }

    /// Writes one line, if possible.
    ///
    /// - Parameters:
    ///   - line: the line, including its line break.
    ///   - lostNotice: returns the line, including its line break, that reports the number of dropped lines.
    package func write(_ line: String, lostNotice: (_ count: Int) -> String) {
        state.withLock { state in
            if state.lost > 0 {
                guard deliver(lostNotice(state.lost), &state) else {
                    state.lost += 1
                    return
                }
                state.lost = 0
            }
            if !deliver(line, &state) { state.lost += 1 }
        }
    }

    private func deliver(_ line: String, _ state: inout State) -> Bool {
        var rest = Array(((state.isTorn ? "\n" : "") + line).utf8)[...]
        let whole = rest.count
        while !rest.isEmpty {
            // A pipe that is ready accepts at least this much without blocking the writer (PIPE_BUF).
            let part = rest.prefix(LogLimits.writeBytesMax)
            guard handle.isReady(within: state.isStalled ? 0 : patienceMilliseconds) else {
                state.isStalled = true
                break
            }
            do throws(OutputError) {
                rest = rest.dropFirst(try handle.writeOnce(part))
                state.isStalled = false
            } catch {
                if error.isTemporary { state.isStalled = true }
                break
            }
        }
        if rest.isEmpty {
            state.isTorn = false
        } else if rest.count < whole {
            state.isTorn = true
        }
        return rest.isEmpty
    }
}

/// The limits of log output.
package enum LogLimits {
    /// Bytes that are written at once: the minimum that a ready pipe accepts.
    static let writeBytesMax = 4096
    /// Milliseconds to wait for a stalled reader, once.
    package static let patienceMilliseconds: Int32 = 1000
}
