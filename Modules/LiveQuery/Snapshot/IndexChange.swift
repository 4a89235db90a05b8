/// The difference between two lists, by index.
struct IndexChange: Sendable, Equatable {
    /// Ascending, in the old list.
    var deletions: [Int] = []
    /// Ascending, in the new list.
    var insertions: [Int] = []
    /// Ascending, in the new list.
    var modifications: [Int] = []
    /// Ascending by `to`. Each is among the deletions and the insertions, too.
    var moves: [LiveMove] = []

    var isEmpty: Bool { deletions.isEmpty && insertions.isEmpty && modifications.isEmpty }
}

/// A record that moved relative to the others.
public struct LiveMove: Sendable, Hashable {
    /// Its index in the old snapshot.
    public let from: Int
    /// Its index in the new snapshot.
    public let to: Int

    /// Creates a move between two indices, counted from 0.
    public init(from: Int, to: Int) {
        self.from = from
        self.to = to
    }
}

extension IndexChange {
    /// A record that is in both lists.
    private struct Survivor {
        var old: Int
        var new: Int
        var isModified: Bool
    }

    /// Computes the difference between two states of a window.
    ///
    /// A record that changed its key without moving relative to the others is a modification: the echo of an own
    /// message is not a move. The number of moved records is minimal.
    ///
    /// - Parameter touched: names at least every record that differs. Ignored if one of the two is empty.
    /// - Complexity: O(t log n) for t touched records in windows of n, wherever they lie; O(n) if one of the two is
    ///   empty or if more was touched than `touched` lists.
    init<Key, Record: Equatable & Identifiable>(
        from old: OrderStatisticTree<Key, Record>, to new: OrderStatisticTree<Key, Record>,
        touched: ChangedRows<Record.ID, Key>
    ) {
        if old.isEmpty || new.isEmpty {
            deletions = Array(0..<old.count)
            insertions = Array(0..<new.count)
            return
        }
        let touched = touched.isOverfull ? .all(from: old, to: new) : touched
        var survivors: [Survivor] = []
        for places in touched.places.values {
            switch (places.old, places.new) {
            case (let before?, let after?):
                survivors.append(
                    Survivor(
                        old: old.rank(of: before), new: new.rank(of: after),
                        isModified: old.row(at: before)?.record != new.row(at: after)?.record))
            case (let before?, nil): deletions.append(old.rank(of: before))
            case (nil, let after?): insertions.append(new.rank(of: after))
            case (nil, nil): continue
            }
        }
        survivors.sort { $0.old < $1.old }
        let stays = Self.stays(survivors, deleted: deletions, inserted: insertions)
        for (survivor, stays) in zip(survivors, stays) {
            if !stays {
                deletions.append(survivor.old)
                insertions.append(survivor.new)
                moves.append(LiveMove(from: survivor.old, to: survivor.new))
            } else if survivor.isModified {
                modifications.append(survivor.new)
            }
        }
        deletions.sort()
        insertions.sort()
        modifications.sort()
        moves.sort { $0.to < $1.to }
    }

    /// Returns for each survivor, by ascending old index, whether it keeps its order relative to the others.
    ///
    /// Untouched rows keep their order. So a survivor can stay only if the number of untouched rows before it is
    /// unchanged; and of those, a largest set that is still in order does stay.
    private static func stays(_ survivors: [Survivor], deleted: [Int], inserted: [Int]) -> [Bool] {
        if survivors.isEmpty { return [] }
        let touchedBefore = (deleted + survivors.map(\.old)).sorted()
        let touchedAfter = (inserted + survivors.map(\.new)).sorted()
        let candidates = survivors.indices.filter { index in
            let survivor = survivors[index]
            return survivor.old - touchedBefore.countBelow(survivor.old)
                == survivor.new - touchedAfter.countBelow(survivor.new)
        }
        var stays = Array(repeating: false, count: survivors.count)
        for place in longestAscending(candidates.map { survivors[$0].new }) { stays[candidates[place]] = true }
        return stays
    }

    /// The indices of a longest ascending subsequence of distinct numbers. Cost: O(n log n).
    private static func longestAscending(_ numbers: [Int]) -> [Int] {
        /// For each length, the index of the smallest number that ends a subsequence of that length.
        var ends: [Int] = []
        var previous = Array(repeating: -1, count: numbers.count)
        for index in numbers.indices {
            var low = 0
            var high = ends.count
            while low < high {
                let middle = (low + high) / 2
                if numbers[ends[middle]] < numbers[index] { low = middle + 1 } else { high = middle }
            }
            if low > 0 { previous[index] = ends[low - 1] }
            if low == ends.count { ends.append(index) } else { ends[low] = index }
        }
        var found: [Int] = []
        var next = ends.last ?? -1
        while next >= 0 {
            found.append(next)
            next = previous[next]
        }
        return found.reversed()
    }
}

extension [Int] {
    /// The number of elements below `bound`, in an ascending array.
    fileprivate func countBelow(_ bound: Int) -> Int {
        var low = 0
        var high = count
        while low < high {
            let middle = (low + high) / 2
            if self[middle] < bound { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
