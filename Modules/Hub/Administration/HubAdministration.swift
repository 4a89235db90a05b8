internal import CausewayHTTPServer
package import CausewayHubStorage
internal import CausewayModels

/// The accounts and channels of a hub, for its operator. Safe for concurrent calls, also while the hub serves.
package struct HubAdministration: Sendable {
    let storage: any HubStorage
    /// Wakes the readers of this process; a hub that serves in another one finds the changes by itself.
    let notifier: EventNotifier?

    package init(_ storage: any HubStorage) { self.init(storage, nil) }

    init(_ storage: any HubStorage, _ notifier: EventNotifier?) {
        self.storage = storage
        self.notifier = notifier
    }

    /// Opens the storage of a data folder for a command. It is released with the process.
    ///
    /// - Throws: `notSetUp`, `configuration` for a folder that others may write into, `storage`.
    package static func of(
        _ folder: DataFolder, opening: HubStorageOpening
    ) async throws(HubError) -> HubAdministration {
        try folder.checkOwner()
        guard folder.isSetUp else { throw .notSetUp(folder: folder.path) }
        return HubAdministration(try await folder.storage(opening))
    }

    /// Closes the storage.
    package func close() { storage.close() }

    // MARK: - Accounts

    /// Creates an account and its token, which is stored nowhere but in the return value.
    ///
    /// - Throws: `badName`; `storage` with `taken`, also for the name of a removed account, or `tooMany`.
    package func addAccount(_ name: String) async throws(HubError) -> AccountToken {
        let user = try Self.user(name)
        let token = AccountToken()
        try await storing { () async throws(HubStorageError) in
            try await storage.addAccount(
                user, tokenDigest: AccountToken.digest(of: token.text), at: SystemClock.now())
        }
        return token
    }

    /// Gives an account a new token; the old one is refused from now on. Restores a removed account.
    ///
    /// - Throws: `badName`; `storage` with `unknownAccount`.
    package func renewAccount(_ name: String) async throws(HubError) -> AccountToken {
        let user = try Self.user(name)
        let token = AccountToken()
        try await storing { () async throws(HubStorageError) in
            try await storage.renewAccount(user, tokenDigest: AccountToken.digest(of: token.text))
        }
        return token
    }

    /// Removes an account's token. Its messages and its name remain its own.
    ///
    /// - Throws: `badName`; `storage` with `unknownAccount`, also if it was removed before.
    package func removeAccount(_ name: String) async throws(HubError) {
        let user = try Self.user(name)
        try await storing { () async throws(HubStorageError) in
            try await storage.removeAccount(user, at: SystemClock.now())
        }
    }

    /// Returns all accounts by name, including removed ones.
    package func accounts() async throws(HubError) -> [HubAccount] {
        try await storing { () async throws(HubStorageError) in try await storage.accounts() }
    }

    static func user(_ name: String) throws(HubError) -> UserID {
        guard let user = UserID(name) else {
            throw .badName(kind: "account", name: name, problem: Name.problem(with: name) ?? "is wrong")
        }
        return user
    }

    func storing<Value>(
        _ body: () async throws(HubStorageError) -> Value
    ) async throws(HubError) -> Value {
        do {
            return try await body()
        } catch {
            throw .storage(error)
        }
    }
}
