package import CausewayModels

/// The accounts of a hub. A removed account keeps its number and its name, so that its messages keep their sender.
package protocol AccountStorage: Sendable {
    /// Returns the account of a token; `nil` when there is none, or it was removed.
    ///
    /// Cost: one look-up. It need not take constant time: the digest of a random secret cannot be guessed by parts.
    ///
    /// - Parameter tokenDigest: the SHA-256 of the token.
    func account(tokenDigest: [UInt8]) async throws(HubStorageError) -> HubAccount?

    /// Returns all accounts by name, including removed ones.
    func accounts() async throws(HubStorageError) -> [HubAccount]

    /// Creates an account.
    ///
    /// - Throws: `taken`, also for the name of a removed account; `tooMany`.
    func addAccount(_ user: UserID, tokenDigest: [UInt8], at time: Timestamp) async throws(HubStorageError)

    /// Replaces the token of an account, and restores a removed one.
    ///
    /// - Throws: `unknownAccount`.
    func renewAccount(_ user: UserID, tokenDigest: [UInt8]) async throws(HubStorageError)

    /// Removes the token of an account.
    ///
    /// - Throws: `unknownAccount`, also if it was removed before.
    func removeAccount(_ user: UserID, at time: Timestamp) async throws(HubStorageError)
}
