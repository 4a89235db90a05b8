import Causeway

/// Reads the token from a file of the user at every start: there is nothing to save and nothing to remove.
struct GivenCredentials: CredentialStore {
    let token: AccessToken

    func token(for session: Session) async throws(CredentialError) -> AccessToken? { token }
    func save(_ token: AccessToken, for session: Session) async throws(CredentialError) {}
    func remove(for session: Session) async throws(CredentialError) {}
}
