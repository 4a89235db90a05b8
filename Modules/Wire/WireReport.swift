package import CausewayModels

/// The response to a delivery: one result for each operation, in order.
package struct WireReport: Sendable, Hashable, Codable {
    /// The lane's high-water mark after the delivery.
    package var mark: Int64
    package var results: [WireResult]
    /// The opening that the hub has admitted; absent for a client without one.
    package var opening: OpeningID?

    package init(mark: Int64, results: [WireResult], opening: OpeningID? = nil) {
        self.opening = opening
        self.mark = mark
        self.results = results
    }
}
