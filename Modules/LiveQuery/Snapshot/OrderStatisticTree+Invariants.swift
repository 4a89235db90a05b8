extension OrderStatisticTree {
    /// A description of a defect of the tree; `nil` if there is none. Cost: linear; for tests.
    package var brokenInvariant: String? {
        let rows = rows
        for (one, next) in zip(rows, rows.dropFirst()) where !isBefore(one.key, next.key) {
            return "\(one.key) is shown before \(next.key)"
        }
        return Self.brokenBalance(root)
    }

    private static func brokenBalance(_ node: Node?) -> String? {
        guard let node else { return nil }
        let left = node.left?.count ?? 0
        let right = node.right?.count ?? 0
        if node.count != left + right + 1 { return "a node counts \(node.count) rows instead of \(left + right + 1)" }
        if left + 1 > 3 * (right + 1) || right + 1 > 3 * (left + 1) { return "\(left) rows against \(right)" }
        return brokenBalance(node.left) ?? brokenBalance(node.right)
    }
}
