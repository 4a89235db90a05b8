import Synchronization

/// The place where a program's log lines go. Never fails and never holds the program up for long: a line that the
/// descriptor does not take (the disk is full, nobody reads the pipe) is left out and counted.
///
/// The next line that is taken is preceded by one that holds the count. Any thread may write; lines are never mixed.
package final class LogOutput: Sendable {
    package static let standardError = LogOutput(.standardError)

    private struct State {
        /// Lines left out since the last one that was taken.
        var lost = 0
        /// The last line ends in its middle.
        var isTorn = false
        /// The descriptor did not become ready within the patience; it is not waited for again until it does.
        var isStalled = false
    }

    private let handle: OutputHandle
    private let patienceMilliseconds: Int32
    private let state = Mutex(State())

    /// - Parameter patienceMilliseconds: how long a stalled reader is waited for, once.
    package init(_ handle: OutputHandle, patienceMilliseconds: Int32 = LogLimits.patienceMilliseconds) {
        self.handle = handle
        self.patienceMilliseconds = patienceMilliseconds
    }

    /// Writes one line, if it can be written.
    ///
    /// - Parameters:
    ///   - line: with its end.
    ///   - lostNotice: the line, with its end, that reports how many were left out.
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
            // A pipe that is ready takes at least this much without making the writer wait (PIPE_BUF).
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

/// The bounds of writing a log.
package enum LogLimits {
    /// Bytes that are written at once: the least that a ready pipe takes.
    static let writeBytesMax = 4096
    /// How long a reader that has stalled is waited for, once.
    package static let patienceMilliseconds: Int32 = 1000
}
