package import CausewayModels

/// The events of a run, line by line; recorded only on request, because recording costs more than running.
package struct HistoryText: Sendable {
    package let isRecording: Bool
    package private(set) var lines: [String] = []

    package init(isRecording: Bool) { self.isRecording = isRecording }

    @inlinable
    package mutating func record(_ time: MonotonicTime, _ line: @autoclosure () -> String) {
        if isRecording { append(time, line()) }
    }

    @usableFromInline
    mutating func append(_ time: MonotonicTime, _ line: String) {
        let milliseconds = time.nanoseconds / 1_000_000
        let fraction = String("000\(milliseconds % 1000)".suffix(3))
        lines.append("\(milliseconds / 1000).\(fraction) s  \(line)")
    }
}
