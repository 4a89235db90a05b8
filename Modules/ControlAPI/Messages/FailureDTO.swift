package import Causeway

/// Why a message is `error`, as JSON.
package struct FailureDTO: Sendable, Hashable, Codable {
    /// `refused`, `retriesUsedUp`, `sessionEnded`, `expired` or `unsendable`.
    package let reason: String
    /// The error code of the server or the network; may be empty.
    package let code: String
    /// May contain text from the server.
    package let detail: String
    /// The complete description.
    package let text: String
    package let at: String
    package let atMs: Int64
    /// True when the failure pauses the lane until the message is resent or deleted; absent otherwise.
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
