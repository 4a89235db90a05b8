import Synchronization

/// The progress of a transfer as one line: a bar, bytes, rate and remaining time.
///
/// The rate is that of the last few seconds, so that it follows the network. Thread-safe.
package final class TransferProgress: Sendable {
    private struct State {
        /// Bytes at earlier moments; the oldest one goes first. Bounded by the window.
        var samples: [(time: ContinuousClock.Instant, bytes: Int64)]
        var shown: ContinuousClock.Instant?
    }

    private let total: Int64
    private let state: Mutex<State>

    /// - Parameters:
    ///   - total: bytes of the whole file.
    ///   - bytes: those that were transferred before.
    package init(total: Int64, from bytes: Int64 = 0, now: ContinuousClock.Instant = .now) {
        self.total = max(0, total)
        state = Mutex(State(samples: [(now, bytes)]))
    }

    /// The line, as in `uploading [#####     ]  52 %  1.2 of 2.3 MB, 310 kB/s, 4 s left`.
    ///
    /// - Returns: `nil` if the last line is so recent that another one would only flicker.
    package func line(_ verb: String, at bytes: Int64, now: ContinuousClock.Instant = .now) -> String? {
        let rate = state.withLock { state -> Double?? in
            if let shown = state.shown, now - shown < .milliseconds(CommandLineLimits.progressMilliseconds),
                bytes < total
            {
                return nil
            }
            state.shown = now
            state.samples.append((now, bytes))
            while state.samples.count > 2, now - state.samples[1].time >= .seconds(CommandLineLimits.rateSeconds) {
                state.samples.removeFirst()
            }
            let first = state.samples[0]
            let seconds = (now - first.time) / .seconds(1)
            return .some(seconds > 0 && bytes > first.bytes ? Double(bytes - first.bytes) / seconds : nil)
        }
        guard let rate else { return nil }
        return text(verb, bytes, rate)
    }

    private func text(_ verb: String, _ bytes: Int64, _ rate: Double?) -> String {
        let share = total > 0 ? min(1, max(0, Double(bytes) / Double(total))) : 1
        let full = Int(share * Double(CommandLineLimits.progressColumns))
        let bar =
            String(repeating: "#", count: full)
            + String(repeating: " ", count: CommandLineLimits.progressColumns - full)
        let percent = String(Int(share * 100))
        var text = "\(verb) [\(bar)] \(String(repeating: " ", count: 3 - percent.count))\(percent) %"
        text += "  \(ByteText.text(bytes)) of \(ByteText.text(total))"
        guard let rate else { return text }
        text += ", \(ByteText.text(Int64(rate)))/s"
        let left = Double(max(0, total - bytes)) / rate
        return left > 0 ? text + ", \(Self.time(left)) left" : text
    }

    private static func time(_ seconds: Double) -> String {
        let seconds = Int64(min(seconds.rounded(.up), 359_999))
        if seconds < 60 { return "\(seconds) s" }
        if seconds < 3600 { return "\(seconds / 60) min \(seconds % 60) s" }
        return "\(seconds / 3600) h \(seconds % 3600 / 60) min"
    }
}

/// Numbers of bytes for people: decimal units, one digit after the point.
package enum ByteText {
    package static func text(_ bytes: Int64) -> String {
        let units = ["bytes", "kB", "MB", "GB", "TB"]
        var value = Double(bytes)
        var unit = 0
        while value >= 999.95, unit < units.count - 1 {
            value /= 1000
            unit += 1
        }
        guard unit > 0 else { return "\(bytes) \(bytes == 1 ? "byte" : units[0])" }
        let tenths = Int64((value * 10).rounded())
        return "\(tenths / 10).\(tenths % 10) \(units[unit])"
    }
}
