import CausewayHubRules
import CausewayModels
import CausewaySimulationKernel

/// The hub's files: uploads that can be resumed, and complete files, of which those that no message has expire.
struct ModelFiles {
    struct Upload {
        var account: UserID
        var file: Attachment
        var received: Int64 = 0
        /// The highest offset that the hub has reported.
        var reported: Int64 = 0
        var usedAt: MonotonicTime
    }

    struct File {
        var size: Int64
        var uploaders: Set<UserID>
        var isAttached = false
    }

    /// Bytes after which an upload is answered.
    static let partBytes: Int64 = 16
    /// Uploads of one account that are not complete.
    static let uploadsMax = 5
    /// The time after which an upload that nobody continues makes room for another one of its account: a client that
    /// missed the name of an upload cannot cancel it.
    static let idleMin: Duration = .seconds(60)

    private(set) var uploads: [String: Upload] = [:]
    private(set) var files: [String: File] = [:]
    /// The files of messages that the current transaction admits: none of them expires before it ends.
    private var admitted: Set<String> = []
    private var lastUpload = 0
    /// A description of the first promise that the hub broke.
    private(set) var violation: String?
    let plantedFault: PlantedFault?

    init(plantedFault: PlantedFault?) { self.plantedFault = plantedFault }

    /// True if the account may send a message with the file.
    func isReadable(_ file: Attachment, by account: UserID) -> Bool {
        guard let found = files[file.sha256], found.size == file.size else { return false }
        return found.isAttached || found.uploaders.contains(account)
    }

    func upload(_ id: String, of account: UserID) -> Upload? {
        guard let upload = uploads[id], upload.account == account else { return nil }
        return upload
    }

    /// The name of a new upload; `nil` if the account has too many that are under way.
    mutating func begin(_ file: Attachment, of account: UserID, at now: MonotonicTime) -> String? {
        let own = uploads.filter { $0.value.account == account }
        if own.count >= Self.uploadsMax {
            let idle = own.map { (name: $0.key, idle: now - $0.value.usedAt) }
            guard let idlest = UploadRules.idlest(of: idle, atLeast: Self.idleMin) else { return nil }
            uploads[idlest] = nil
        }
        lastUpload += 1
        uploads["/uploads/\(lastUpload)"] = Upload(account: account, file: file, usedAt: now)
        return "/uploads/\(lastUpload)"
    }

    /// The offset that the hub reports: never below one that it has reported before.
    mutating func report(_ id: String) -> Int64 {
        guard let upload = uploads[id] else { return 0 }
        if upload.received < upload.reported {
            violation = violation ?? "\(id) is at \(upload.received), and was reported to be at \(upload.reported)"
        }
        uploads[id]?.reported = max(upload.reported, upload.received)
        return upload.received
    }

    /// Takes bytes of an upload.
    mutating func receive(_ count: Int64, of id: String, at now: MonotonicTime) {
        uploads[id]?.received += count
        uploads[id]?.usedAt = now
    }

    mutating func remove(_ id: String) { uploads[id] = nil }

    mutating func complete(_ id: String) {
        guard let upload = uploads.removeValue(forKey: id) else { return }
        files[upload.file.sha256, default: File(size: upload.file.size, uploaders: [])].uploaders.insert(upload.account)
    }

    /// A message with the file was accepted.
    mutating func attach(_ file: Attachment) {
        if files[file.sha256] == nil { violation = violation ?? "the hub accepted a message without its file" }
        files[file.sha256]?.isAttached = true
    }

    mutating func beginTransaction() { admitted = [] }

    /// The current transaction admits a message with the file.
    mutating func admit(_ file: Attachment) { admitted.insert(file.sha256) }

    /// Removes a file that no message has.
    ///
    /// - Returns: false if it is attached, or not there.
    mutating func expire(_ file: Attachment) -> Bool {
        guard files[file.sha256]?.isAttached == false, !admitted.contains(file.sha256) else { return false }
        files[file.sha256] = nil
        return true
    }

    /// Replaces the files by those of a backup; no name is given twice.
    mutating func goBack(to backup: ModelFiles) {
        uploads = backup.uploads
        files = backup.files
        admitted = []
    }

    /// Restarts the hub: offsets that it reported are on its disk.
    mutating func restart() {
        guard plantedFault == .hubForgetsOffsets else { return }
        for id in uploads.keys { uploads[id]?.received = 0 }
    }
}
