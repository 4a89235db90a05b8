internal import CausewayHubRules
internal import CausewayHubStorage
internal import CausewayModels
internal import GRDB

/// Stores which messages blobs are attached to.
struct AttachmentRecorder {
    private let db: Database
    private let path: String

    init(in db: Database, path: String) {
        self.db = db
        self.path = path
    }

    /// - Throws: `io` if there is no such blob: it was among those that were loaded.
    func attach(_ blob: BlobName, to message: Int64, in channel: Int64) throws {
        var insertion = try SQLStatement(
            "INSERT INTO attachment (message, blob, channel) SELECT ?, number, ? FROM blob WHERE sha256 = ?", db)
        insertion.bind(message)
        insertion.bind(channel)
        insertion.bind(blob.bytes)
        try insertion.run()
        guard db.changesCount == 1 else {
            throw HubStorageError.io(path: path, detail: "a change refers to an unknown blob")
        }
        var update = try SQLStatement(
            "UPDATE blob SET attachments = attachments + 1, unattached_since = NULL WHERE sha256 = ?", db)
        update.bind(blob.bytes)
        try update.run()
    }

    /// Ends the attachment of a message, if it has one.
    func detach(_ message: Int64, at time: Timestamp) throws {
        var removal = try SQLStatement("DELETE FROM attachment WHERE message = ? RETURNING blob", db)
        removal.bind(message)
        guard try removal.step() else { return }
        let blob = removal.number(0)
        try removal.run()
        var update = try SQLStatement(
            """
            UPDATE blob SET unattached_since = CASE attachments WHEN 1 THEN ? END, attachments = attachments - 1
            WHERE number = ?
            """, db)
        update.bind(time)
        update.bind(blob)
        try update.run()
    }
}
