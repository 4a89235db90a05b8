import CausewayModels

/// The events, line by line; recorded only on request, because recording costs more than running.
package struct Story {
    let isTelling: Bool
    package private(set) var lines: [String] = []

    init(isTelling: Bool) { self.isTelling = isTelling }

    mutating func tell(_ time: MonotonicTime, _ line: @autoclosure () -> String) {
        guard isTelling else { return }
        lines.append("\(Double(time.nanoseconds / 1_000_000) / 1000) s  \(line())")
    }

    /// The last lines.
    func ending(_ count: Int) -> String { lines.suffix(count).joined(separator: "\n") }
}
