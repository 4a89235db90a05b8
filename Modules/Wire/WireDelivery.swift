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

/// One operation: `send` carries channel, content and createdAt; `fence` and `delete` only the message's id.
package struct WireOperation: Sendable, Hashable, Codable {
    package enum Kind: String, Sendable, Hashable, Codable { case send, fence, delete }

    package var kind: Kind
    package var sequence: Int64
    package var previous: Int64
    package var id: MessageID
    package var channel: ChannelID?
    package var content: MessageContent?
    package var createdAt: Timestamp?

    package init(
        kind: Kind, sequence: Int64, previous: Int64, id: MessageID, channel: ChannelID? = nil,
        content: MessageContent? = nil, createdAt: Timestamp? = nil
    ) {
        self.kind = kind
        self.sequence = sequence
        self.previous = previous
        self.id = id
        self.channel = channel
        self.content = content
        self.createdAt = createdAt
    }
}

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

/// What became of one operation.
package struct WireResult: Sendable, Hashable, Codable {
    package enum Kind: String, Sendable, Hashable, Codable {
        /// With `position` and `acceptedAt`; also the answer to a repeat, and to a fence whose message is there.
        case accepted
        case fenced
        case deleted
        /// With `code` and `detail`.
        case refused
        /// With `code` and `detail`, perhaps `retryAfterMilliseconds`.
        case tryLater
        case notAttempted
        /// With `mark`.
        case gap
        /// With `mark`.
        case late
    }

    package var kind: Kind
    package var position: Int64?
    package var acceptedAt: Timestamp?
    package var code: String?
    package var detail: String?
    package var retryAfterMilliseconds: Int64?
    package var mark: Int64?

    package init(
        kind: Kind, position: Int64? = nil, acceptedAt: Timestamp? = nil, code: String? = nil, detail: String? = nil,
        retryAfterMilliseconds: Int64? = nil, mark: Int64? = nil
    ) {
        self.kind = kind
        self.position = position
        self.acceptedAt = acceptedAt
        self.code = code
        self.detail = detail
        self.retryAfterMilliseconds = retryAfterMilliseconds
        self.mark = mark
    }
}
