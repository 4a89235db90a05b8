package import CausewayHubRules
package import CausewayHubStorage
package import CausewayModels
internal import GRDB

/// Uploads and blobs.
extension SQLiteHubStorage {
    private static let uploadColumns = "id, account, sha256, size, type, created_at, completed_at"

    package func addUpload<Refusal: Sendable>(
        _ upload: HubUpload, unless refusal: @escaping @Sendable (MediaUsage) -> Refusal?
    ) async throws(HubStorageError) -> Refusal? {
        try await write { db in
            if let refusal = refusal(try Self.usage(of: upload.account, db)) { return refusal }
            var insertion = try SQLStatement(
                "INSERT INTO upload (\(Self.uploadColumns)) VALUES (?, ?, ?, ?, ?, ?, ?)", db)
            insertion.bind(upload.id.bytes)
            insertion.bind(upload.account)
            insertion.bind(upload.blob.bytes)
            insertion.bind(upload.size)
            insertion.bind(upload.type)
            insertion.bind(upload.createdAt)
            insertion.bind(upload.completedAt)
            try insertion.run()
            return nil
        }
    }

    package func upload(_ id: UploadID) async throws(HubStorageError) -> HubUpload? {
        try await read { [path] db in try Self.upload(id, db, path) }
    }

    package func pendingUploads(of account: Int64) async throws(HubStorageError) -> [HubUpload] {
        try await read { db in
            var row = try SQLStatement(
                """
                SELECT \(Self.uploadColumns) FROM upload WHERE account = ? AND completed_at IS NULL
                ORDER BY created_at, id
                """, db)
            row.bind(account)
            var uploads: [HubUpload] = []
            while try row.step() {
                // A damaged one hides no other.
                if let upload = Self.upload(row) { uploads.append(upload) }
            }
            return uploads
        }
    }

    package func completeUpload(
        _ id: UploadID, servedAs type: String, at time: Timestamp
    ) async throws(HubStorageError) -> Bool {
        try await write { [path] db in
            guard let upload = try Self.upload(id, db, path) else { return false }
            var update = try SQLStatement("UPDATE upload SET completed_at = ? WHERE id = ?", db)
            update.bind(time)
            update.bind(id.bytes)
            try update.run()
            var insertion = try SQLStatement(
                """
                INSERT INTO blob (sha256, size, type, unattached_since) VALUES (?, ?, ?, ?)
                ON CONFLICT (sha256) DO UPDATE SET
                    unattached_since = iif(unattached_since IS NULL, NULL, excluded.unattached_since),
                    type = excluded.type
                """, db)
            insertion.bind(upload.blob.bytes)
            insertion.bind(upload.size)
            insertion.bind(type)
            insertion.bind(time)
            try insertion.run()
            try Self.addUploader(of: upload, db)
            return true
        }
    }

    package func removeUpload(_ id: UploadID) async throws(HubStorageError) {
        try await write { db in
            var removal = try SQLStatement("DELETE FROM upload WHERE id = ?", db)
            removal.bind(id.bytes)
            try removal.run()
        }
    }

    package func uploads(
        createdBy time: Timestamp, after last: HubUpload?, limit: Int
    ) async throws(HubStorageError) -> [HubUpload] {
        try await readIdly { db in
            var row = try SQLStatement(
                """
                SELECT \(Self.uploadColumns) FROM upload
                WHERE created_at <= ? AND (created_at, id) > (?, coalesce(?, x'')) ORDER BY created_at, id LIMIT ?
                """, db)
            row.bind(time)
            row.bind(last?.createdAt.milliseconds ?? .min)
            row.bind(last?.id.bytes ?? [])
            row.bind(limit)
            var uploads: [HubUpload] = []
            while try row.step() {
                // A damaged one hides no other.
                if let upload = Self.upload(row) { uploads.append(upload) }
            }
            return uploads
        }
    }

    package func blob(
        _ name: BlobName, for requester: BlobRequester, through message: MessageID?
    ) async throws(HubStorageError) -> ReadableBlob? {
        try await read { db in
            var blobs = BlobLookUp(in: db)
            if let message { return try blobs.readable(name, for: requester, through: message) }
            return try blobs.readable(name, for: requester).map { ReadableBlob(blob: $0) }
        }
    }

    private static let named = KeyedQuery("SELECT sha256 FROM blob WHERE sha256 IN")

    package func blobs(among names: [BlobName]) async throws(HubStorageError) -> Set<BlobName> {
        try await readIdly { db in
            var found: Set<BlobName> = []
            try Self.named.forEach(of: names, in: db) {
                $0.bind($1.bytes)
            } _: { row in
                if let name = BlobName(bytes: row.bytes(0)) { found.insert(name) }
            }
            return found
        }
    }

    package func unattachedBlobs(since time: Timestamp, limit: Int) async throws(HubStorageError) -> [BlobName] {
        try await readIdly { db in
            var row = try SQLStatement(
                """
                SELECT sha256 FROM blob WHERE unattached_since <= ? ORDER BY unattached_since, sha256 LIMIT ?
                """, db)
            row.bind(time)
            row.bind(limit)
            var names: [BlobName] = []
            while try row.step() {
                if let name = BlobName(bytes: row.bytes(0)) { names.append(name) }
            }
            return names
        }
    }

    package func removeBlob(
        _ name: BlobName, unattachedSince time: Timestamp
    ) async throws(HubStorageError) -> Bool {
        try await write { db in
            var row = try SQLStatement("SELECT number, size, unattached_since FROM blob WHERE sha256 = ?", db)
            row.bind(name.bytes)
            guard try row.step() else { return true }
            guard !row.isNull(2), row.time(2) <= time else { return false }
            let number = row.number(0)
            var usage = try SQLStatement(
                """
                UPDATE media_usage SET stored_bytes = stored_bytes - ?
                WHERE account IN (SELECT account FROM blob_uploader WHERE blob = ?)
                """, db)
            usage.bind(row.number(1))
            usage.bind(number)
            try usage.run()
            for removal in ["DELETE FROM blob_uploader WHERE blob = ?", "DELETE FROM blob WHERE number = ?"] {
                var removal = try SQLStatement(removal, db)
                removal.bind(number)
                try removal.run()
            }
            return true
        }
    }

    package func mediaUsage(of account: Int64) async throws(HubStorageError) -> MediaUsage {
        try await read { db in try Self.usage(of: account, db) }
    }

    // MARK: - Rows

    private static func upload(_ id: UploadID, _ db: Database, _ path: String) throws -> HubUpload? {
        var row = try SQLStatement("SELECT \(uploadColumns) FROM upload WHERE id = ?", db)
        row.bind(id.bytes)
        guard try row.step() else { return nil }
        guard let upload = upload(row) else {
            throw HubStorageError.damaged(path: path, detail: "an upload has an impossible id or hash")
        }
        return upload
    }

    /// `nil` for one with an impossible id or hash.
    private static func upload(_ row: borrowing SQLStatement) -> HubUpload? {
        guard let id = UploadID(bytes: row.bytes(0)), let blob = BlobName(bytes: row.bytes(2)), let type = row.text(4)
        else { return nil }
        return HubUpload(
            id: id, account: row.number(1), blob: blob, size: row.number(3), type: type, createdAt: row.time(5),
            completedAt: row.optionalTime(6))
    }

    /// Counts the file for its account, once.
    private static func addUploader(of upload: HubUpload, _ db: Database) throws {
        var insertion = try SQLStatement(
            """
            INSERT INTO blob_uploader (blob, account) SELECT number, ? FROM blob WHERE sha256 = ?
            ON CONFLICT DO NOTHING
            """, db)
        insertion.bind(upload.account)
        insertion.bind(upload.blob.bytes)
        try insertion.run()
        guard db.changesCount > 0 else { return }
        var usage = try SQLStatement(
            """
            INSERT INTO media_usage (account, stored_bytes) VALUES (?, ?)
            ON CONFLICT (account) DO UPDATE SET stored_bytes = stored_bytes + excluded.stored_bytes
            """, db)
        usage.bind(upload.account)
        usage.bind(upload.size)
        try usage.run()
    }

    private static func usage(of account: Int64, _ db: Database) throws -> MediaUsage {
        var pending = try SQLStatement(
            "SELECT count(*), coalesce(sum(size), 0) FROM upload WHERE account = ? AND completed_at IS NULL", db)
        pending.bind(account)
        var stored = try SQLStatement("SELECT stored_bytes FROM media_usage WHERE account = ?", db)
        stored.bind(account)
        guard try pending.step() else { return MediaUsage() }
        return MediaUsage(
            pendingUploads: Int(pending.number(0)), pendingBytes: pending.number(1),
            storedBytes: try stored.step() ? stored.number(0) : 0)
    }
}
