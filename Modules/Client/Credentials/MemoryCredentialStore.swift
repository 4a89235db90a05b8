public import CausewayModels
import Synchronization

/// Keeps tokens for as long as the process lives.
public final class MemoryCredentialStore: CredentialStore {
    private let tokens = Mutex<[SessionID: AccessToken]>([:])

    /// Creates an empty store.
    public init() {}

    public func token(for session: Session) async throws(CredentialError) -> AccessToken? {
        tokens.withLock { $0[session.id] }
    }

    public func save(_ token: AccessToken, for session: Session) async throws(CredentialError) {
        tokens.withLock { $0[session.id] = token }
    }

    public func remove(for session: Session) async throws(CredentialError) {
        tokens.withLock { $0[session.id] = nil }
    }
}
