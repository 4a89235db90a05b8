package import CausewayModels

/// Values that are due at a time, the earliest first; those of the same time in the order in which they were planned.
package struct TimeQueue<Value: Sendable>: Sendable {
    private var heap = TimeHeap()
    /// The planned values, and the places of those that were taken.
    private var values: [Value?] = []
    private var free: [Int] = []

    package init() {}

    package mutating func plan(_ value: Value, at time: MonotonicTime) {
        if let place = free.popLast() {
            values[place] = value
            heap.add(place, at: time)
        } else {
            values.append(value)
            heap.add(values.count - 1, at: time)
        }
    }

    package mutating func next() -> (time: MonotonicTime, value: Value)? {
        guard let (time, place) = heap.next(), let value = values[place].take() else { return nil }
        free.append(place)
        return (time, value)
    }
}

/// The times of a queue, with the places of its values: a binary heap of small elements, because they are moved often.
private struct TimeHeap: Sendable {
    struct Planned: Sendable {
        var time: MonotonicTime
        var number: Int
        var place: Int

        func isBefore(_ other: Planned) -> Bool { (time, number) < (other.time, other.number) }
    }

    private var heap: [Planned] = []
    private var planned = 0

    mutating func add(_ place: Int, at time: MonotonicTime) {
        planned += 1
        heap.append(Planned(time: time, number: planned, place: place))
        var child = heap.count - 1
        while child > 0, heap[child].isBefore(heap[(child - 1) / 2]) {
            heap.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
    }

    mutating func next() -> (time: MonotonicTime, place: Int)? {
        guard let first = heap.first else { return nil }
        let last = heap.removeLast()
        if !heap.isEmpty {
            heap[0] = last
            sink()
        }
        return (first.time, first.place)
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
