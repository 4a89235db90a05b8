import CausewayModels

/// The events, line by line; recorded only on request, because recording costs more than running.
package struct History {
    let isRecording: Bool
    package private(set) var lines: [String] = []

    init(isRecording: Bool) { self.isRecording = isRecording }

    mutating func record(_ time: MonotonicTime, _ line: @autoclosure () -> String) {
        guard isRecording else { return }
        lines.append("\(Double(time.nanoseconds / 1_000_000) / 1000) s  \(line())")
    }

    /// The last lines.
    func ending(_ count: Int) -> String { lines.suffix(count).joined(separator: "\n") }
}
