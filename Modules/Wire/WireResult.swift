package import CausewayModels

/// The result of one operation.
package struct WireResult: Sendable, Hashable, Codable {
    package enum Kind: String, Sendable, Hashable, Codable {
        /// With `position` and `acceptedAt`; also the result of a repeat, and of a fence whose message exists, or
        /// existed: with `isDeleted`. The position of a write is the version that it gave the record.
        case accepted
        case fenced
        case deleted
        /// With `code` and `detail`.
        case refused
        /// With `detail`: the message that it refers to does not exist here.
        case unrelated
        /// With `code` and `detail`, and optionally `retryAfterMilliseconds`.
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
    /// True if the accepted message has been deleted since; absent otherwise.
    package var isDeleted: Bool?

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

    /// True if an operation was not applied and stopped the delivery there.
    package var isStopped: Bool {
        switch results.last?.kind {
        case .gap, .tryLater, .notAttempted: true
        case .accepted, .fenced, .deleted, .refused, .unrelated, .late, nil: false
        }
    }
}

/// The body of every response that is not 2xx.
package struct WireError: Sendable, Hashable, Codable, Error {
    /// A machine-readable code: `tokenRefused`, `superseded`, `storeForked`, `historyChanged`, `channelNotFound`,
    /// `busy`, ….
    package var code: String
    /// A description for users: the event, its subject, and the remedy.
    package var detail: String

    package init(code: String, detail: String) {
        self.code = code
        self.detail = detail
    }
}
