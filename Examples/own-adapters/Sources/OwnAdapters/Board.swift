package import Causeway

/// A server, as a transport reaches it. Each call is one request; it fails with a ``BoardError``, or when its task is
/// cancelled.
package protocol Board: Sendable {
    /// The member with this token.
    func member(_ token: AccessToken) async throws -> UserID
    func apply(_ delivery: Delivery, from token: AccessToken) async throws -> DeliveryReport
    func page(_ query: RemoteQuery, for token: AccessToken) async throws -> RemotePage
    func position(of id: MessageID, for token: AccessToken) async throws -> ServerPosition?
}

/// The failures of a request to a ``Board``.
package enum BoardError: Error {
    /// There is no board at the address: the request did not leave.
    case noBoard
    /// The token belongs to no member.
    case notAMember
    /// The board has no such channel.
    case noChannel
    /// The board cannot do it now, and has done nothing.
    case busy
    /// The board asks to wait, and has done nothing.
    case wait(Duration)
    /// The request left, and no answer came that could be understood.
    case noAnswer
}
