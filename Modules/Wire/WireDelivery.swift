package import CausewayModels

/// The body of `POST /v1/deliveries`: operations of one lane, in lane order.
///
/// The hub permanently keeps one high-water mark for each (account, outbox, lane), and applies an operation only if its
/// `previous` is the mark. See `HubRules` for every case.
package struct WireDelivery: Sendable, Hashable, Codable {
    package var outbox: OutboxID
    /// Incremented each time the client's store is opened; from a client without `opening` the hub refuses an older one
    /// with `409 superseded`.
    package var epoch: Int64
    /// The opening of the client's store. The hub admits it if the last opening that delivered is this one or one of
    /// `ancestors`, and if another one has not moved the lane's mark to where this store cannot have moved it: above
    /// `base`, between the `previous` and the `sequence` of an operation, or with another operation of that sequence.
    /// Otherwise the store was restored or copied, and the response is `409 storeForked`.
    package var opening: OpeningID?
    /// Earlier openings of the same store, newest first; left out once the hub has confirmed `opening`.
    package var ancestors: [OpeningID]?
    /// The highest sequence of the lane that was transmitted before this opening; with `opening`.
    package var base: Int64?
    package var lane: LaneID
    /// True if an earlier delivery of the lane is under way: if this one arrives first, the hub waits a moment for the
    /// other instead of responding `gap`. Left out if false.
    package var pipelined: Bool?
    package var operations: [WireOperation]

    package init(
        outbox: OutboxID, epoch: Int64, opening: OpeningID? = nil, ancestors: [OpeningID]? = nil, base: Int64? = nil,
        lane: LaneID, pipelined: Bool? = nil, operations: [WireOperation]
    ) {
        self.outbox = outbox
        self.epoch = epoch
        self.opening = opening
        self.ancestors = ancestors
        self.base = base
        self.lane = lane
        self.pipelined = pipelined
        self.operations = operations
    }
}
