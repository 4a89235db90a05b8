package import CausewayModels

/// The body of `POST /v1/deliveries`: operations of one lane, in lane order.
///
/// The hub keeps one high-water mark for each (account, outbox, lane), for ever, and applies an operation only if its
/// `previous` is the mark. See `HubRules` for every case.
package struct WireDelivery: Sendable, Hashable, Codable {
    package var outbox: OutboxID
    /// Grows each time the client's store is opened; the hub refuses an older one with `409 superseded`.
    package var epoch: Int64
    package var lane: LaneID
    package var operations: [WireOperation]

    package init(outbox: OutboxID, epoch: Int64, lane: LaneID, operations: [WireOperation]) {
        self.outbox = outbox
        self.epoch = epoch
        self.lane = lane
        self.operations = operations
    }
}
