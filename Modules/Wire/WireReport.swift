package import CausewayModels

/// The answer to a delivery: one result for each operation, in order.
package struct WireReport: Sendable, Hashable, Codable {
    /// Where the lane stands afterwards.
    package var mark: Int64
    package var results: [WireResult]
    /// The opening that the hub has admitted; left out for a client without one.
    package var opening: OpeningID?

    package init(mark: Int64, results: [WireResult], opening: OpeningID? = nil) {
        self.opening = opening
        self.mark = mark
        self.results = results
    }
}
