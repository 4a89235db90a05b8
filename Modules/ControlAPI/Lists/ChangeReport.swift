package import Causeway

/// The result of a resend or a deletion.
package struct ChangeReport: Sendable, Hashable, Codable {
    package let count: Int
    /// The changed messages; absent when the request meant all of a kind.
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
