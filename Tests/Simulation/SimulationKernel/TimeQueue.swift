import CausewayModels

/// Deadlines, the earliest first; equal ones in the order in which they were set. A binary heap.
struct AlarmQueue {
    private struct Alarm {
        var deadline: MonotonicTime
        var order: Int

        func isBefore(_ other: Alarm) -> Bool { (deadline, order) < (other.deadline, other.order) }
    }

    private var heap: [Alarm] = []

    mutating func add(_ order: Int, at deadline: MonotonicTime) {
        heap.append(Alarm(deadline: deadline, order: order))
        var child = heap.count - 1
        while child > 0, heap[child].isBefore(heap[(child - 1) / 2]) {
            heap.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
    }

    mutating func next() -> (order: Int, deadline: MonotonicTime)? {
        guard let first = heap.first else { return nil }
        let last = heap.removeLast()
        if !heap.isEmpty {
            heap[0] = last
            sink()
        }
        return (first.order, first.deadline)
    }

    private mutating func sink() {
        var parent = 0
        while true {
            var least = parent
            for child in [2 * parent + 1, 2 * parent + 2] where child < heap.count {
                if heap[child].isBefore(heap[least]) { least = child }
            }
            if least == parent { return }
            heap.swapAt(parent, least)
            parent = least
        }
    }
}
