internal import CausewayHTTPServer
internal import CausewayHubBlobs
internal import CausewayHubRules
internal import CausewayHubStorage
internal import CausewayModels
internal import CausewaySystem

/// The files of a hub: their rows, their bytes, and the changes of both that must not overlap.
struct HubFiles: Sendable {
    let storage: any HubStorage
    let blobs: any BlobStorage
    let limits: BlobLimits
    /// One request for each upload.
    let uploads = UploadTurns()
    /// The bytes and the row of a blob change together: one change for each name at a time.
    let names = KeyedTurns<BlobName>()

    /// Stores the bytes of an upload as a blob, and marks it as complete.
    ///
    /// The part stays until the row is committed, so that an upload can be completed again whatever fails in between,
    /// and one without a part has lost its bytes. A blob of its hash proves nothing then: another account may have sent
    /// it.
    ///
    /// - Throws: `BlobStorageError.mismatch` if the bytes are not those that were announced.
    func complete(_ upload: HubUpload, _ part: any BlobPart) async throws {
        let isStored = try await names.run(upload.blob) {
            let head = try await part.head(InlineMediaType.headBytes)
            try await part.finish(as: upload.blob, size: upload.size)
            let type = InlineMediaType.served(head: head)
            return try await storage.completeUpload(upload.id, servedAs: type, at: SystemClock.now())
        }
        guard isStored else {
            // Removed meanwhile.
            try await remove(upload)
            throw HubHTTPError.uploadNotFound
        }
        // A part that cannot be removed is no failure: the next start, or the end of its upload, removes it.
        try? await blobs.removePart(upload.id)
    }

    /// Removes an upload and its bytes: its part, and its blob if the row of that could not be stored.
    func remove(_ upload: HubUpload) async throws {
        try await blobs.removePart(upload.id)
        try await storage.removeUpload(upload.id)
        _ = try await removeOrphan(upload.blob)
    }

    /// Removes a blob that has no row.
    ///
    /// - Returns: false if it has one.
    func removeOrphan(_ name: BlobName) async throws -> Bool {
        // An upload may be completed just now: its row comes after its bytes.
        try await names.run(name) {
            guard try await storage.blobs(among: [name]).isEmpty else { return false }
            try await blobs.remove(name)
            return true
        }
    }

    /// Removes an upload that failed before any of its bytes was durable, or before it had a part: a client that knows
    /// it begins again.
    func removeIfEmpty(_ upload: HubUpload) async throws {
        if let part = try await blobs.openPart(upload.id) {
            let length = part.length
            await part.close()
            guard length == 0 else { return }
        }
        try await remove(upload)
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
            try await remove(upload)
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
