package import CausewayHubStorage
package import CausewayModels
internal import GRDB

extension SQLiteHubStorage {
    package func account(tokenDigest: [UInt8]) async throws(HubStorageError) -> HubAccount? {
        try await lookUp { [path] db in
            var row = try SQLStatement(
                "SELECT number, name, created_at, removed_at FROM account WHERE token_sha256 = ?", db)
            row.bind(tokenDigest)
            return try row.step() ? try Self.account(row, path) : nil
        }
    }

    package func accounts() async throws(HubStorageError) -> [HubAccount] {
        try await read { [path] db in
            var row = try SQLStatement("SELECT number, name, created_at, removed_at FROM account ORDER BY name", db)
            var accounts: [HubAccount] = []
            while try row.step() {
                // One with an impossible name hides no other.
                if row.text(1).flatMap(UserID.init) != nil { accounts.append(try Self.account(row, path)) }
            }
            return accounts
        }
    }

    package func addAccount(_ user: UserID, tokenDigest: [UInt8], at time: Timestamp) async throws(HubStorageError) {
        try await write { db in
            guard try !Self.exists(user, db) else { throw HubStorageError.taken(kind: "account", name: user.value) }
            let last = try Int64.fetchOne(db, sql: "SELECT max(number) FROM account") ?? 0
            guard last < HubStorageLimits.accountsMax else {
                throw HubStorageError.tooMany(kind: "accounts", limit: HubStorageLimits.accountsMax)
            }
            var insertion = try SQLStatement(
                "INSERT INTO account (name, token_sha256, created_at) VALUES (?, ?, ?)", db)
            insertion.bind(user.value)
            insertion.bind(tokenDigest)
            insertion.bind(time)
            try insertion.run()
        }
    }

    package func renewAccount(_ user: UserID, tokenDigest: [UInt8]) async throws(HubStorageError) {
        try await write { db in
            var update = try SQLStatement(
                "UPDATE account SET token_sha256 = ?, removed_at = NULL WHERE name = ?", db)
            update.bind(tokenDigest)
            update.bind(user.value)
            try update.run()
            guard db.changesCount == 1 else { throw HubStorageError.unknownAccount(name: user.value) }
        }
    }

    package func removeAccount(_ user: UserID, at time: Timestamp) async throws(HubStorageError) {
        try await write { db in
            var update = try SQLStatement(
                "UPDATE account SET token_sha256 = NULL, removed_at = ? WHERE name = ? AND removed_at IS NULL", db)
            update.bind(time)
            update.bind(user.value)
            try update.run()
            guard db.changesCount == 1 else { throw HubStorageError.unknownAccount(name: user.value) }
        }
    }

    private static func exists(_ user: UserID, _ db: Database) throws -> Bool {
        var row = try SQLStatement("SELECT 1 FROM account WHERE name = ?", db)
        row.bind(user.value)
        return try row.step()
    }

    private static func account(_ row: borrowing SQLStatement, _ path: String) throws -> HubAccount {
        guard let user = row.text(1).flatMap(UserID.init) else {
            throw HubStorageError.damaged(path: path, detail: "an account has an impossible name")
        }
        return HubAccount(
            number: row.number(0), user: user, createdAt: row.time(2), removedAt: row.optionalTime(3))
    }
}
