internal import CausewayHTTPServer
internal import CausewayHubBlobs
internal import CausewayHubRules
internal import CausewayHubStorage
internal import CausewayModels
internal import Logging

/// Removes uploads and blobs that nobody needs, and repairs what a crash left between rows and bytes.
struct FileHousekeeping: Sendable {
    let files: HubFiles
    let logger: Logger

    private var storage: any HubStorage { files.storage }
    private var blobs: any BlobStorage { files.blobs }

    // MARK: - Expiry

    /// Removes expired uploads and blobs at the start and after each interval, and collects orphans at the start. Ends
    /// when the task is cancelled.
    func run(every interval: Duration) async {
        await doing("orphans not collected") { try await collectOrphans() }
        repeat {
            await doing("files not expired") { try await expire(at: SystemClock.now()) }
        } while (try? await Task.sleep(for: interval)) != nil
    }

    func expire(at now: Timestamp) async throws {
        let uploadsBy = now.minus(seconds: files.limits.uploadSecondsMax)
        var uploads = 0
        while !Task.isCancelled {
            let expired = try await storage.uploads(
                createdBy: uploadsBy, after: nil, limit: HubLimits.expiredPerReadMax)
            for upload in expired { try await files.uploads.run(upload.id) { try await files.remove(upload.id) } }
            uploads += expired.count
            if expired.count < HubLimits.expiredPerReadMax { break }
        }
        let unattachedSince = now.minus(seconds: files.limits.unattachedSecondsMax)
        var removed = 0
        while !Task.isCancelled {
            let names = try await storage.unattachedBlobs(
                since: unattachedSince, limit: HubLimits.expiredPerReadMax)
            for name in names { try await remove(name, unattachedSince: unattachedSince) }
            removed += names.count
            if names.count < HubLimits.expiredPerReadMax { break }
        }
        guard uploads + removed > 0 else { return }
        logger.info("files expired", metadata: ["uploads": "\(uploads)", "files": "\(removed)"])
    }

    /// The row first: a crash between the two leaves bytes without a row, which are collected.
    private func remove(_ name: BlobName, unattachedSince time: Timestamp) async throws {
        try await files.names.run(name) {
            if try await storage.removeBlob(name, unattachedSince: time) { try await blobs.remove(name) }
        }
    }

    // MARK: - After a crash

    /// Completes or removes uploads whose part is gone, and removes parts without an upload. Called before the hub
    /// serves. Cost: the number of uploads.
    func repair() async throws {
        var parts = Set(try await blobs.parts())
        var completed = 0
        var lost = 0
        var last: HubUpload?
        repeat {
            let uploads = try await storage.uploads(
                createdBy: Timestamp(milliseconds: .max), after: last, limit: HubLimits.expiredPerReadMax)
            for upload in uploads {
                let hasPart = parts.remove(upload.id) != nil
                if upload.completedAt != nil, hasPart {
                    try await blobs.removePart(upload.id)
                } else if upload.completedAt == nil, !hasPart {
                    if try await files.recover(upload) { completed += 1 } else { lost += 1 }
                }
            }
            last = uploads.last
        } while last != nil
        for part in parts { try await blobs.removePart(part) }
        guard completed + lost + parts.count > 0 else { return }
        logger.notice(
            "uploads repaired",
            metadata: ["completed": "\(completed)", "lost": "\(lost)", "orphans": "\(parts.count)"])
    }

    /// Removes blobs without a row: of a crash, or of a database that was restored from a backup.
    private func collectOrphans() async throws {
        var count = 0
        for byte in UInt8.min ... .max {
            guard !Task.isCancelled else { return }
            var rest = try await blobs.names(firstByte: byte)[...]
            while !rest.isEmpty {
                let names = Array(rest.prefix(HubLimits.expiredPerReadMax))
                rest = rest.dropFirst(names.count)
                let known = try await storage.blobs(among: names)
                for name in names where !known.contains(name) {
                    // An upload may be completed just now: its row comes after its bytes.
                    try await files.names.run(name) {
                        guard try await storage.blobs(among: [name]).isEmpty else { return }
                        try await blobs.remove(name)
                        count += 1
                    }
                }
            }
        }
        if count > 0 { logger.notice("orphaned files removed", metadata: ["count": "\(count)"]) }
    }

    private func doing(_ failure: Logger.Message, _ body: () async throws -> Void) async {
        do {
            try await body()
        } catch is CancellationError {
        } catch {
            logger.warning(failure, metadata: ["error": "\(error)"])
        }
    }
}

extension Timestamp {
    fileprivate func minus(seconds: Int64) -> Timestamp { Timestamp(milliseconds: milliseconds - seconds * 1000) }
}
