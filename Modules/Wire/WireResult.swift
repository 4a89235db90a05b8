package import CausewayModels

/// The result of one operation.
package struct WireResult: Sendable, Hashable, Codable {
    package enum Kind: String, Sendable, Hashable, Codable {
        /// With `position` and `acceptedAt`; also the result of a repeat, and of a fence whose message exists.
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
