import CausewayModels

/// What happened, line by line; told only when somebody listens, for telling costs more than living.
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
