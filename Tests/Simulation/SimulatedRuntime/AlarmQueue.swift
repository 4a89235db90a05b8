import CausewayModels

/// The alarms of sleepers by time; those of the same time in the order of their numbers.
///
/// A binary heap of small elements: every sleep passes through it.
struct AlarmQueue: Sendable {
    private struct Alarm: Sendable {
        var nanoseconds: Int64
        var number: Int

        func isBefore(_ other: Alarm) -> Bool {
            nanoseconds == other.nanoseconds ? number < other.number : nanoseconds < other.nanoseconds
        }
    }

    private var heap: [Alarm] = []

    mutating func add(_ number: Int, at time: MonotonicTime) {
        heap.append(Alarm(nanoseconds: time.nanoseconds, number: number))
        var child = heap.count - 1
        while child > 0, heap[child].isBefore(heap[(child - 1) / 2]) {
            heap.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
    }

    /// Removes the earliest alarm.
    mutating func next() -> (time: MonotonicTime, number: Int)? {
        guard let first = heap.first else { return nil }
        let last = heap.removeLast()
        if !heap.isEmpty {
            heap[0] = last
            sink()
        }
        return (MonotonicTime(nanoseconds: first.nanoseconds), first.number)
    }

    private mutating func sink() {
        var parent = 0
        while true {
            var least = parent
            let (left, right) = (2 * parent + 1, 2 * parent + 2)
            if left < heap.count, heap[left].isBefore(heap[least]) { least = left }
            if right < heap.count, heap[right].isBefore(heap[least]) { least = right }
            if least == parent { return }
            heap.swapAt(parent, least)
            parent = least
        }
    }
}
