internal import CausewayHTTPServer
internal import CausewayHubBlobs
internal import CausewayHubRules
internal import CausewayHubStorage
internal import CausewayModels
internal import CausewaySystem
internal import NIOCore

/// The files of a hub: their rows, their bytes, and the changes of both that must not overlap.
struct HubFiles: Sendable {
    let storage: any HubStorage
    let blobs: any BlobStorage
    let limits: BlobLimits
    /// One request for each upload.
    let uploads = UploadTurns()
    /// The bytes and the row of a blob change together: one change for each name at a time.
    let names = KeyedTurns<BlobName>()

    /// Turns the bytes of an upload into a blob, and marks it as complete.
    ///
    /// - Throws: `BlobStorageError.mismatch` if the bytes are not those that were announced.
    func complete(_ upload: HubUpload, _ part: any BlobPart) async throws {
        try await names.run(upload.blob) {
            let head = try await part.head(InlineMediaType.headBytes)
            try await part.finish(as: upload.blob, size: upload.size)
            try await complete(upload, head)
        }
    }

    /// Finds out about an upload without a part: it was turned into a blob just before its row could be changed, or its
    /// bytes are lost, and it is removed.
    ///
    /// - Returns: whether it is complete.
    func recover(_ upload: HubUpload) async throws -> Bool {
        try await names.run(upload.blob) {
            // Also makes its name durable.
            let isStored = try await blobs.names(firstByte: upload.blob.bytes[0]).contains(upload.blob)
            guard isStored, let reader = try await blobs.open(upload.blob), reader.size == upload.size else {
                try await storage.removeUpload(upload.id)
                return false
            }
            let head = try await reader.read(at: 0, count: InlineMediaType.headBytes)
            try await complete(upload, Array(head.readableBytesView))
            return true
        }
    }

    private func complete(_ upload: HubUpload, _ head: [UInt8]) async throws {
        let type = InlineMediaType.served(head: head)
        guard try await storage.completeUpload(upload.id, servedAs: type, at: SystemClock.now()) else {
            // Cancelled meanwhile; the blob has no row, and is collected.
            throw HubHTTPError.uploadNotFound
        }
    }

    /// Removes an upload and its bytes.
    func remove(_ upload: UploadID) async throws {
        try await blobs.removePart(upload)
        try await storage.removeUpload(upload)
    }

    /// Removes an upload that failed before any of its bytes was durable: a client that knows it begins again.
    func removeIfEmpty(_ id: UploadID) async throws {
        guard let part = try await blobs.openPart(id) else { return }
        let length = part.length
        await part.close()
        if length == 0 { try await remove(id) }
    }

    /// Removes the upload of an account that was idle longest, if one was idle for long enough.
    ///
    /// - Returns: whether one was removed.
    func removeIdleUpload(of account: Int64) async throws -> Bool {
        let now = SystemClock.now()
        var uploads: [(name: UploadID, idle: Duration)] = []
        for upload in try await storage.pendingUploads(of: account) {
            uploads.append((upload.id, try await idle(upload, at: now)))
        }
        let minimum = Duration.seconds(limits.idleSecondsMin)
        guard let id = UploadRules.idlest(of: uploads, atLeast: minimum) else { return false }
        return try await self.uploads.run(id) {
            // A request for it may have come first.
            guard let upload = try await storage.upload(id), upload.completedAt == nil,
                try await idle(upload, at: now) >= minimum
            else { return false }
            try await remove(id)
            return true
        }
    }

    /// The time since the last bytes of an upload.
    private func idle(_ upload: HubUpload, at now: Timestamp) async throws -> Duration {
        let last = try await blobs.lastChange(ofPart: upload.id) ?? upload.createdAt.milliseconds
        return .milliseconds(now.milliseconds - last)
    }

    func isExpired(_ upload: HubUpload, at now: Timestamp) -> Bool { secondsLeft(of: upload, at: now) <= 0 }

    func secondsLeft(of upload: HubUpload, at now: Timestamp) -> Int64 {
        limits.uploadSecondsMax - (now.milliseconds - upload.createdAt.milliseconds) / 1000
    }
}
