import CausewayModels

/// The planned events, the earliest first; events of the same time in the order of planning.
struct EventQueue {
    private struct Planned {
        var time: MonotonicTime
        var number: Int
        var event: SimulatedEvent

        func isBefore(_ other: Planned) -> Bool { (time, number) < (other.time, other.number) }
    }

    private var heap: [Planned] = []
    private var planned = 0

    mutating func plan(_ event: SimulatedEvent, at time: MonotonicTime) {
        planned += 1
        heap.append(Planned(time: time, number: planned, event: event))
        var child = heap.count - 1
        while child > 0, heap[child].isBefore(heap[(child - 1) / 2]) {
            heap.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
    }

    mutating func next() -> (time: MonotonicTime, event: SimulatedEvent)? {
        guard let first = heap.first else { return nil }
        let last = heap.removeLast()
        if !heap.isEmpty {
            heap[0] = last
            sink()
        }
        return (first.time, first.event)
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
