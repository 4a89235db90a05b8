package import CausewayModels

/// The last times of an event, to detect a loop.
package struct Moments: Hashable, Sendable {
    package static let countMax = 40
    /// The time span of ``countMax`` events that only a loop explains.
    package static let span: Duration = .seconds(10)

    private var times: [MonotonicTime] = []

    package init() {}

    package mutating func append(_ time: MonotonicTime) {
        times.append(time)
        if times.count > Self.countMax { times.removeFirst() }
    }

    /// True when the event occurred so often within so short a time that only a loop explains it.
    package var isCrowded: Bool {
        guard times.count == Self.countMax, let first = times.first, let last = times.last else { return false }
        return last - first < Self.span
    }
}
