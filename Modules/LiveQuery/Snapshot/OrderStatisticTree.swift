/// The rows of a window in display order: a persistent, weight-balanced tree.
///
/// A copy costs nothing and shares everything; a change copies the path to one row. Finding, inserting and removing a
/// key and determining its index cost O(log n), and so does reading the row at an index.
///
/// Balance: one side of a node holds at most ``delta`` times as many rows as the other, the one row between them
/// counted on both sides; rotations as in Adams's trees, for which 3 and 2 are known to hold.
package struct OrderStatisticTree<Key: Comparable & Sendable, Record: Sendable>: Sendable {
    /// A record in the tree: shared by all states of the tree that contain it, so that copying a path copies no record.
    package final class Row: Sendable {
        package let key: Key
        package let record: Record

        package init(_ key: Key, _ record: Record) {
            self.key = key
            self.record = record
        }
    }

    final class Node: Sendable {
        let row: Row
        let left: Node?
        let right: Node?
        let count: Int

        init(_ row: Row, _ left: Node?, _ right: Node?) {
            self.row = row
            self.left = left
            self.right = right
            count = (left?.count ?? 0) + (right?.count ?? 0) + 1
        }
    }

    private static var delta: Int { 3 }
    private static var gamma: Int { 2 }

    /// True if the largest key is shown first.
    let isDescending: Bool
    private(set) var root: Node?

    package init(isDescending: Bool) { self.isDescending = isDescending }

    /// - Parameter rows: in display order, without duplicate keys. Cost: linear.
    package init(isDescending: Bool, inOrder rows: [Row]) {
        self.isDescending = isDescending
        root = Self.balanced(rows[...])
    }

    private static func balanced(_ rows: ArraySlice<Row>) -> Node? {
        guard !rows.isEmpty else { return nil }
        let middle = rows.startIndex + rows.count / 2
        return Node(rows[middle], balanced(rows[..<middle]), balanced(rows[(middle + 1)...]))
    }

    package var count: Int { root?.count ?? 0 }

    /// True if `left` is shown before `right`.
    func isBefore(_ left: Key, _ right: Key) -> Bool { isDescending ? right < left : left < right }

    // MARK: Reading

    /// The row at an index from 0 to below ``count``.
    package subscript(index: Int) -> Row {
        precondition(index >= 0 && index < count, "index \(index) is not below \(count)")
        var index = index
        var next = root
        while let node = next {
            let before = node.left?.count ?? 0
            if index == before { return node.row }
            if index < before {
                next = node.left
            } else {
                index -= before + 1
                next = node.right
            }
        }
        preconditionFailure("the counts of the tree are wrong")
    }

    var first: Row? { isEmpty ? nil : self[0] }
    var last: Row? { isEmpty ? nil : self[count - 1] }
    var isEmpty: Bool { root == nil }

    /// The number of rows shown before this key.
    package func rank(of key: Key) -> Int {
        var rank = 0
        var next = root
        while let node = next {
            if isBefore(node.row.key, key) {
                rank += (node.left?.count ?? 0) + 1
                next = node.right
            } else {
                next = node.left
            }
        }
        return rank
    }

    /// The row with exactly this key.
    package func row(at key: Key) -> Row? {
        var next = root
        while let node = next {
            if isBefore(node.row.key, key) {
                next = node.right
            } else if isBefore(key, node.row.key) {
                next = node.left
            } else {
                return node.row
            }
        }
        return nil
    }

    /// Every row, in order. Cost: linear.
    package var rows: [Row] { rows(in: 0..<count) }

    /// The rows at these indices, in order. Cost: linear in their number, plus O(log n).
    package func rows(in range: Range<Int>) -> [Row] {
        var rows: [Row] = []
        rows.reserveCapacity(range.count)
        Self.visit(root, range) { rows.append($0) }
        return rows
    }

    /// - Parameter range: the requested indices, counted from the first row of the node.
    private static func visit(_ node: Node?, _ range: Range<Int>, _ body: (Row) -> Void) {
        guard let node, range.lowerBound < node.count, range.upperBound > 0 else { return }
        let before = node.left?.count ?? 0
        visit(node.left, range, body)
        if range.contains(before) { body(node.row) }
        visit(node.right, (range.lowerBound - before - 1)..<(range.upperBound - before - 1), body)
    }

    // MARK: Changing

    /// Inserts a row at its position, replacing one with the same key if there is one.
    package mutating func insert(_ key: Key, _ record: Record) { root = inserting(Row(key, record), into: root) }

    /// Removes the row with this key; does nothing if there is none.
    package mutating func remove(_ key: Key) {
        guard row(at: key) != nil else { return }
        root = removing(key, from: root)
    }

    private func inserting(_ row: Row, into node: Node?) -> Node {
        guard let node else { return Node(row, nil, nil) }
        if isBefore(row.key, node.row.key) {
            return Self.balance(node.row, inserting(row, into: node.left), node.right)
        }
        if isBefore(node.row.key, row.key) {
            return Self.balance(node.row, node.left, inserting(row, into: node.right))
        }
        return Node(row, node.left, node.right)
    }

    private func removing(_ key: Key, from node: Node?) -> Node? {
        guard let node else { return nil }
        if isBefore(key, node.row.key) { return Self.balance(node.row, removing(key, from: node.left), node.right) }
        if isBefore(node.row.key, key) { return Self.balance(node.row, node.left, removing(key, from: node.right)) }
        guard let left = node.left else { return node.right }
        guard let right = node.right else { return left }
        if left.count > right.count {
            let (rest, row) = Self.removingLast(left)
            return Self.balance(row, rest, right)
        }
        let (row, rest) = Self.removingFirst(right)
        return Self.balance(row, left, rest)
    }

    private static func removingFirst(_ node: Node) -> (Row, Node?) {
        guard let left = node.left else { return (node.row, node.right) }
        let (row, rest) = removingFirst(left)
        return (row, balance(node.row, rest, node.right))
    }

    private static func removingLast(_ node: Node) -> (Node?, Row) {
        guard let right = node.right else { return (node.left, node.row) }
        let (rest, row) = removingLast(right)
        return (balance(node.row, node.left, rest), row)
    }

    // MARK: Balance

    private static func weight(_ node: Node?) -> Int { (node?.count ?? 0) + 1 }

    /// A node of two sides that were balanced before one row was added or removed.
    private static func balance(_ row: Row, _ left: Node?, _ right: Node?) -> Node {
        if let right, weight(right) > delta * weight(left) {
            if weight(right.left) < gamma * weight(right.right) {
                return Node(right.row, Node(row, left, right.left), right.right)
            }
            if let inner = right.left {
                return Node(inner.row, Node(row, left, inner.left), Node(right.row, inner.right, right.right))
            }
        }
        if let left, weight(left) > delta * weight(right) {
            if weight(left.right) < gamma * weight(left.left) {
                return Node(left.row, left.left, Node(row, left.right, right))
            }
            if let inner = left.right {
                return Node(inner.row, Node(left.row, left.left, inner.left), Node(row, inner.right, right))
            }
        }
        return Node(row, left, right)
    }
}
