public import CausewayModels

/// Where the token of a session is kept, apart from the messages. The one place that handles a secret at rest.
public protocol CredentialStore: Sendable {
    /// The token that was saved for the session; `nil` when there is none.
    func token(for session: Session) async throws(CredentialError) -> AccessToken?
    /// Saves the token, durably, readable by the owner alone.
    func save(_ token: AccessToken, for session: Session) async throws(CredentialError)
    /// Forgets the token.
    func remove(for session: Session) async throws(CredentialError)
}

/// Why a token could not be read or written. Never holds the token.
public struct CredentialError: Error, Sendable, Hashable, CustomStringConvertible {
    public let description: String

    public init(_ description: String) { self.description = description }
}
