/// Storage for session tokens, separate from the messages. The only component that handles secrets at rest.
public protocol CredentialStore: Sendable {
    /// The token that was saved for the session; `nil` if there is none.
    func token(for session: Session) async throws(CredentialError) -> AccessToken?
    /// Saves the token durably, readable only by its owner.
    func save(_ token: AccessToken, for session: Session) async throws(CredentialError)
    /// Removes the token.
    func remove(for session: Session) async throws(CredentialError)
}

/// The reason why a token could not be read or written. Never contains the token.
public struct CredentialError: Error, Sendable, Hashable, CustomStringConvertible {
    public let description: String

    public init(_ description: String) { self.description = description }
}
