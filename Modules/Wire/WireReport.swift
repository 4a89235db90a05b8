/// The answer to a delivery: one result for each operation, in order.
package struct WireReport: Sendable, Hashable, Codable {
    /// Where the lane stands afterwards.
    package var mark: Int64
    package var results: [WireResult]

    package init(mark: Int64, results: [WireResult]) {
        self.mark = mark
        self.results = results
    }
}
