package import Causeway
import Synchronization

/// A credential store of its own, as for a system's keychain: one token for each account, whichever its session.
package final class AccountCredentials: CredentialStore {
    private let tokens = Mutex<[Account: AccessToken]>([:])

    package init() {}

    /// The accounts with a token; never the tokens.
    package var accounts: [Account] { tokens.withLock { Array($0.keys) } }

    package func token(for session: Session) async throws(CredentialError) -> AccessToken? {
        tokens.withLock { $0[session.account] }
    }

    package func save(_ token: AccessToken, for session: Session) async throws(CredentialError) {
        tokens.withLock { $0[session.account] = token }
    }

    package func remove(for session: Session) async throws(CredentialError) {
        tokens.withLock { $0[session.account] = nil }
    }
}
