internal import CausewayModels
internal import CausewayTLS
internal import GRDB

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

extension HubStore {
    /// Creates an account and its token, which is stored nowhere but in the return value.
    ///
    /// - Throws: `badName`; `taken`, also for the name of a removed account; `tooMany`.
    package func addAccount(_ name: String) async throws(HubError) -> AccountToken {
        let user = try Self.user(name)
        let token = AccountToken()
        let digest = Data(AccountToken.digest(of: token.text))
        let now = now().milliseconds
        try await write { db in
            guard try Self.row(of: user, db) == nil else { throw HubError.taken(kind: "account", name: user.value) }
            let last = try Int64.fetchOne(db, sql: "SELECT max(number) FROM account") ?? 0
            guard last < HubLimits.accountsMax else {
                throw HubError.tooMany(kind: "account", limit: HubLimits.accountsMax)
            }
            try db.execute(
                sql: "INSERT INTO account (name, token_sha256, created_at) VALUES (?, ?, ?)",
                arguments: [user.value, digest, now])
        }
        return token
    }

    /// Gives an account a new token; the old one is refused from now on. Restores a removed account.
    ///
    /// - Throws: `unknownAccount`.
    package func renewAccount(_ name: String) async throws(HubError) -> AccountToken {
        let user = try Self.user(name)
        let token = AccountToken()
        let digest = Data(AccountToken.digest(of: token.text))
        try await write { db in
            guard try Self.row(of: user, db) != nil else { throw HubError.unknownAccount(name: user.value) }
            try db.execute(
                sql: "UPDATE account SET token_sha256 = ?, removed_at = NULL WHERE name = ?",
                arguments: [digest, user.value])
        }
        return token
    }

    /// Removes an account's token. Its messages and its name remain its own.
    ///
    /// - Throws: `unknownAccount`, also if it was removed before.
    package func removeAccount(_ name: String) async throws(HubError) {
        let user = try Self.user(name)
        let now = now().milliseconds
        try await write { db in
            try db.execute(
                sql: "UPDATE account SET token_sha256 = NULL, removed_at = ? WHERE name = ? AND removed_at IS NULL",
                arguments: [now, user.value])
            guard db.changesCount == 1 else { throw HubError.unknownAccount(name: user.value) }
        }
    }

    /// Returns all accounts by name, including removed ones.
    package func accounts() async throws(HubError) -> [Account] {
        try await read { db in
            try Row.fetchAll(db, sql: "SELECT number, name, created_at, removed_at FROM account ORDER BY name")
                .map(Self.account)
        }
    }

    /// Returns the account of a token; `nil` when there is none. Only the digest of the token is stored and compared.
    func account(token: String) async throws(HubError) -> Account? {
        let digest = AccountToken.digest(of: token)
        let key = Data(digest)
        return try await readToken { db in
            let statement = try db.cachedStatement(
                sql: "SELECT number, name, created_at, removed_at, token_sha256 FROM account WHERE token_sha256 = ?")
            guard let row = try Row.fetchOne(statement, arguments: [key]) else { return nil }
            let stored: Data = row[4]
            guard Digest.constantTimeEqual(Array(stored), digest) else { return nil }
            return try Self.account(row)
        }
    }

    private static func row(of user: UserID, _ db: Database) throws -> Row? {
        try Row.fetchOne(db, sql: "SELECT number FROM account WHERE name = ?", arguments: [user.value])
    }

    @Sendable private static func account(_ row: Row) throws -> Account {
        guard let user = UserID(row[1]) else {
            throw HubError.damaged(path: "hub.sqlite", detail: "an account has an impossible name")
        }
        let removedAt: Int64? = row[3]
        return Account(
            number: row[0], user: user, createdAt: Timestamp(milliseconds: row[2]),
            removedAt: removedAt.map(Timestamp.init(milliseconds:)))
    }

    private static func user(_ name: String) throws(HubError) -> UserID {
        guard let user = UserID(name) else {
            throw .badName(kind: "account", name: name, problem: Name.problem(with: name) ?? "is wrong")
        }
        return user
    }
}
