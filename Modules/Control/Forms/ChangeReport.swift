package import Causeway

/// What a resend or a deletion changed.
package struct ChangeReport: Sendable, Hashable, Codable {
    package let count: Int
    /// Which; absent where all of a kind were meant.
    package let ids: [MessageID]?

    package init(count: Int) {
        self.count = count
        ids = nil
    }

    package init(ids: [MessageID]) {
        count = ids.count
        self.ids = ids
    }
}
