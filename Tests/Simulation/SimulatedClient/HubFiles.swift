import CausewayHubRules
import CausewayModels

/// The hub's files: uploads that can be resumed, and complete files, of which those that no message has expire.
///
/// Bytes that arrive are not durable at once: a restart loses them, unless the hub has reported an offset behind them.
struct HubFiles {
    struct Upload {
        var account: UserID?
        var file: Attachment
        var received: Int64 = 0
        /// The bytes that a restart does not lose.
        var durable: Int64 = 0
        /// The highest offset that the hub has reported.
        var reported: Int64 = 0
        var usedAt: MonotonicTime
    }

    struct File {
        var size: Int64
        var uploaders: Set<UserID?>
        /// The messages on the hub that have it.
        var messages: Set<MessageID> = []
    }

    /// Uploads of one account that are not complete.
    static let uploadsMax = 5
    /// The time after which an upload that nothing continues makes room for another one of its account: a client that
    /// missed the name of an upload cannot cancel it.
    static let idleMin: Duration = .seconds(60)

    private(set) var uploads: [String: Upload] = [:]
    private(set) var files: [String: File] = [:]

    func upload(_ location: String, of account: UserID?) -> Upload? {
        guard let upload = uploads[location], upload.account == account else { return nil }
        return upload
    }

    /// True if the account may send a message with the file.
    func isReadable(_ file: Attachment, by account: UserID?) -> Bool {
        guard let found = files[file.sha256], found.size == file.size else { return false }
        return found.uploaders.contains(account) || !found.messages.isEmpty
    }

    /// Opens an upload.
    mutating func open(_ location: String, _ file: Attachment, of account: UserID?, at now: MonotonicTime) {
        uploads[location] = Upload(account: account, file: file, usedAt: now)
    }

    /// Makes room for another upload of the account.
    ///
    /// - Returns: false if the account has too many that are in use.
    mutating func makeRoom(for account: UserID?, at now: MonotonicTime) -> Bool {
        let own = uploads.filter { $0.value.account == account }
        guard own.count >= Self.uploadsMax else { return true }
        let idle = own.map { (name: $0.key, idle: now - $0.value.usedAt) }
        guard let idlest = UploadRules.idlest(of: idle, atLeast: Self.idleMin) else { return false }
        uploads[idlest] = nil
        return true
    }

    mutating func receive(_ count: Int64, of location: String, at now: MonotonicTime) {
        uploads[location]?.received += count
        uploads[location]?.usedAt = now
    }

    /// Returns the offset to report, which is durable from now on, and what is wrong with it.
    mutating func report(_ location: String, isDurable: Bool = true) -> (offset: Int64, objection: String?) {
        guard let upload = uploads[location] else { return (0, nil) }
        if isDurable { uploads[location]?.durable = upload.received }
        uploads[location]?.reported = max(upload.reported, upload.received)
        guard upload.received < upload.reported else { return (upload.received, nil) }
        return (
            upload.received, "\(location) is at \(upload.received), and was reported to be at \(upload.reported)"
        )
    }

    /// The complete file replaces its upload.
    mutating func complete(_ location: String) {
        guard let upload = uploads.removeValue(forKey: location) else { return }
        files[upload.file.sha256, default: File(size: upload.file.size, uploaders: [])].uploaders.insert(upload.account)
    }

    mutating func remove(_ location: String) { uploads[location] = nil }

    mutating func attach(_ file: Attachment, to message: MessageID) { files[file.sha256]?.messages.insert(message) }

    mutating func detach(_ file: Attachment, from message: MessageID) { files[file.sha256]?.messages.remove(message) }

    /// Removes a file, unless a message has it.
    mutating func expire(_ sha256: String) {
        if files[sha256]?.messages.isEmpty == true { files[sha256] = nil }
    }

    /// Removes a file.
    mutating func lose(_ sha256: String) { files[sha256] = nil }

    /// Restarts the hub: bytes that it has not reported may be lost.
    mutating func restart() {
        for (location, upload) in uploads { uploads[location]?.received = upload.durable }
    }
}
