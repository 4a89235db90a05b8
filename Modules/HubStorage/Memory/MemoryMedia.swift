internal import CausewayHubRules
internal import CausewayModels

/// The uploads and blobs of a ``MemoryHubStorage``.
struct MemoryMedia: Sendable {
    struct Blob: Sendable {
        var blob: HubBlob
        /// The numbers of the accounts that uploaded it.
        var uploaders: Set<Int64> = []
        /// `nil` while it is attached to a message.
        var unattachedSince: Timestamp?
    }

    var uploads: [UploadID: HubUpload] = [:]
    var blobs: [BlobName: Blob] = [:]

    func usage(of account: Int64) -> MediaUsage {
        let pending = uploads.values.filter { $0.account == account && $0.completedAt == nil }
        let stored = blobs.values.filter { $0.uploaders.contains(account) }
        return MediaUsage(
            pendingUploads: pending.count, pendingBytes: pending.reduce(0) { $0 + $1.size },
            storedBytes: stored.reduce(0) { $0 + $1.blob.size })
    }

    mutating func complete(_ id: UploadID, servedAs type: String, at time: Timestamp) -> Bool {
        guard let upload = uploads[id] else { return false }
        uploads[id]?.completedAt = time
        var blob =
            blobs[upload.blob]
            ?? Blob(blob: HubBlob(name: upload.blob, size: upload.size, type: type), unattachedSince: time)
        blob.uploaders.insert(upload.account)
        if blob.unattachedSince != nil { blob.unattachedSince = time }
        blob.blob.type = type
        blobs[upload.blob] = blob
        return true
    }
}

/// Blobs, and the messages that they are attached to.
extension MemoryHubState {
    func blob(_ name: BlobName, for requester: BlobRequester, through message: MessageID?) -> ReadableBlob? {
        guard let stored = media.blobs[name] else { return nil }
        let attached = messages.values.filter { $0.attachment == name && (message == nil || $0.id == message) }
        let readable = attached.first { canRead(.channel($0.channel), TopicRights(of: requester.user)) }
        let fileName = message == nil ? nil : readable?.content.flatMap(Self.fileName)
        guard readable != nil || stored.uploaders.contains(requester.account) else { return nil }
        return ReadableBlob(blob: stored.blob, fileName: fileName)
    }

    private static func fileName(of content: String) -> String? {
        (try? JSONParser.parse(Array(content.utf8)))?["attachment"]?["name"]?.string
    }

    /// Called after the messages of a group were stored.
    mutating func attach(_ changes: DeliveryChanges) {
        for message in changes.newMessages {
            if let name = message.attachment { media.blobs[name]?.unattachedSince = nil }
        }
    }

    /// Ends the attachment of a message that is deleted.
    mutating func detach(_ id: MessageID, at time: Timestamp) {
        guard let name = messages[id]?.attachment else { return }
        messages[id]?.attachment = nil
        if !messages.values.contains(where: { $0.attachment == name }) { media.blobs[name]?.unattachedSince = time }
    }
}
