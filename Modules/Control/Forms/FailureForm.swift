package import Causeway

/// Why a message is `error`, as JSON.
package struct FailureForm: Sendable, Hashable, Codable {
    /// `refused`, `retriesUsedUp`, `sessionEnded`, `expired` or `unsendable`.
    package let reason: String
    /// The server's or the network's own word; may be empty.
    package let code: String
    /// May hold the server's words.
    package let detail: String
    /// The whole in words.
    package let text: String
    package let at: String
    package let atMs: Int64
    /// True when it pauses its lane until it is resent or deleted; absent otherwise.
    package let pausesLane: Bool?

    package init(_ failure: Failure) {
        reason = failure.reason.rawValue
        code = failure.code
        detail = failure.detail
        text = failure.description
        at = failure.at.description
        atMs = failure.at.milliseconds
        pausesLane = failure.pausesLane ? true : nil
    }
}
