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

    /// Creates an error with a description for users, which must not contain the token.
    public init(_ description: String) { self.description = description }
}

/// A secret that authenticates an account at a server. Prints as dots; only a transport reads the text.
public struct AccessToken: Sendable, Hashable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable
{
    /// The token itself, for transports and credential stores. It must not reach a log, an error or an argument list.
    public let text: String

    /// - Returns: `nil` unless it is 1 to 4,096 visible ASCII characters.
    public init?(_ text: String) {
        guard (1...4096).contains(text.utf8.count), text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            return nil
        }
        self.text = text
    }

    public var description: String { "••••" }
    public var debugDescription: String { "••••" }
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
