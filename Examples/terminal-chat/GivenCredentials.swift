import Causeway

/// The token comes from a file that the user keeps, every time: there is nothing to save and nothing to remove.
struct GivenCredentials: CredentialStore {
    let token: AccessToken

    func token(for session: Session) async throws(CredentialError) -> AccessToken? { token }
    func save(_ token: AccessToken, for session: Session) async throws(CredentialError) {}
    func remove(for session: Session) async throws(CredentialError) {}
}
