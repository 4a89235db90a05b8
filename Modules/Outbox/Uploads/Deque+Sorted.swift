import DequeModule

extension Deque where Element: Comparable {
    /// Inserts into an ascending queue. O(log n) at either end, which is where elements arrive and leave.
    mutating func insertSorted(_ element: Element) { insert(element, at: lowerBound(of: element)) }

    /// Removes from an ascending queue; does nothing if the element is not there.
    mutating func removeSorted(_ element: Element) {
        let index = lowerBound(of: element)
        if index < count, self[index] == element { remove(at: index) }
    }

    private func lowerBound(of element: Element) -> Int {
        var low = 0
        var high = count
        while low < high {
            let middle = (low + high) / 2
            if self[middle] < element { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
