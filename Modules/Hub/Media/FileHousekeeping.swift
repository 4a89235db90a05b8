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

    /// The failures of one round. They are logged together, so that a broken disk does not fill the log.
    private struct Failures {
        private(set) var count = 0
        private(set) var first: (any Error)?

        mutating func note(_ error: any Error) {
            guard !(error is CancellationError) else { return }
            count += 1
            if first == nil { first = error }
        }
    }

    /// A round, and what it leaves to the next one.
    private struct Round {
        /// The first bytes of the names of blobs that are to be compared with their rows.
        var unchecked = Set(UInt8.min ... .max)
        var failures = Failures()
    }

    // MARK: - Expiry

    /// Removes expired uploads and blobs at the start and after each interval. Collects orphans at the start, and those
    /// that could not be removed in the rounds after it. Ends when the task is cancelled.
    ///
    /// A file that cannot be removed keeps no other from being removed.
    func run(every interval: Duration) async {
        var round = Round()
        repeat {
            await collectOrphans(&round)
            await expire(at: SystemClock.now(), &round)
            log(round.failures)
            round.failures = Failures()
        } while (try? await Task.sleep(for: interval)) != nil
    }

    private func expire(at now: Timestamp, _ round: inout Round) async {
        let uploads = await expireUploads(
            createdBy: now.minus(seconds: files.limits.uploadSecondsMax), &round.failures)
        let removed = await expireBlobs(
            unattachedSince: now.minus(seconds: files.limits.unattachedSecondsMax), &round)
        guard uploads + removed > 0 else { return }
        logger.info("files expired", metadata: ["uploads": "\(uploads)", "files": "\(removed)"])
    }

    /// - Returns: the number of uploads that were removed.
    private func expireUploads(createdBy time: Timestamp, _ failures: inout Failures) async -> Int {
        var count = 0
        var last: HubUpload?
        while !Task.isCancelled {
            let expired: [HubUpload]
            do {
                expired = try await storage.uploads(
                    createdBy: time, after: last, limit: HubLimits.expiredPerReadMax)
            } catch {
                failures.note(error)
                break
            }
            for upload in expired {
                do {
                    try await files.uploads.run(upload.id) { try await files.remove(upload) }
                    count += 1
                } catch is HubHTTPError {
                    // A newer request for it came first, or the hub stops: its turn is in the next round.
                } catch {
                    failures.note(error)
                }
            }
            // A short part is not the last one: damaged rows are left out of it.
            guard let end = expired.last else { break }
            last = end
        }
        return count
    }

    /// - Returns: the number of blobs that were removed.
    private func expireBlobs(unattachedSince time: Timestamp, _ round: inout Round) async -> Int {
        var count = 0
        // Those whose row may be there again, before the others.
        var failed: Set<BlobName> = []
        while !Task.isCancelled, failed.count < HubLimits.expiredPerReadMax {
            let names: [BlobName]
            do {
                names = try await storage.unattachedBlobs(
                    since: time, limit: HubLimits.expiredPerReadMax + failed.count)
            } catch {
                round.failures.note(error)
                break
            }
            let remaining = names.filter { !failed.contains($0) }
            for name in remaining {
                do {
                    if try await remove(name, unattachedSince: time) { count += 1 }
                } catch {
                    round.failures.note(error)
                    failed.insert(name)
                    // Its row may be gone, and its bytes not.
                    round.unchecked.insert(name.bytes[0])
                }
            }
            if remaining.count < HubLimits.expiredPerReadMax { break }
        }
        return count
    }

    /// The row first: a crash between the two leaves bytes without a row, which are collected.
    ///
    /// - Returns: false if it is attached to a message again.
    private func remove(_ name: BlobName, unattachedSince time: Timestamp) async throws -> Bool {
        try await files.names.run(name) {
            guard try await storage.removeBlob(name, unattachedSince: time) else { return false }
            try await blobs.remove(name)
            return true
        }
    }

    // MARK: - After a crash

    /// Removes uploads whose part is gone, and parts without an upload or of one that is complete. Called before the
    /// hub serves. Cost: the number of uploads.
    ///
    /// An upload that has its part is continued by its client, or expires.
    func repair() async throws {
        var parts = Set(try await blobs.parts())
        var (completed, lost, orphans) = (0, 0, 0)
        var failures = Failures()
        var last: HubUpload?
        repeat {
            let uploads = try await storage.uploads(
                createdBy: Timestamp(milliseconds: .max), after: last, limit: HubLimits.expiredPerReadMax)
            for upload in uploads {
                let hasPart = parts.remove(upload.id) != nil
                let isComplete = upload.completedAt != nil
                // One that is complete needs no part, and every other one needs its part.
                guard hasPart == isComplete else { continue }
                do {
                    if isComplete {
                        try await blobs.removePart(upload.id)
                        completed += 1
                    } else {
                        try await storage.removeUpload(upload.id)
                        lost += 1
                    }
                } catch {
                    failures.note(error)
                }
            }
            last = uploads.last
        } while last != nil
        for part in parts {
            do {
                try await blobs.removePart(part)
                orphans += 1
            } catch {
                failures.note(error)
            }
        }
        log(failures)
        guard completed + lost + orphans > 0 else { return }
        logger.notice(
            "uploads repaired",
            metadata: ["completed": "\(completed)", "lost": "\(lost)", "orphans": "\(orphans)"])
    }

    /// Removes blobs without a row: of a crash, of a removal that failed, or of a database that was restored from a
    /// backup.
    ///
    /// The first bytes stay of those blobs that could not all be compared with their rows, or removed.
    private func collectOrphans(_ round: inout Round) async {
        var count = 0
        for byte in round.unchecked.sorted() where !Task.isCancelled {
            do {
                let isDone = try await collectOrphans(firstByte: byte, &count, &round.failures)
                if isDone { round.unchecked.remove(byte) }
            } catch {
                round.failures.note(error)
            }
        }
        if count > 0 { logger.notice("orphaned files removed", metadata: ["count": "\(count)"]) }
    }

    /// - Returns: false if one could not be removed.
    private func collectOrphans(
        firstByte: UInt8, _ count: inout Int, _ failures: inout Failures
    ) async throws -> Bool {
        var isDone = true
        var rest = try await blobs.names(firstByte: firstByte)[...]
        while !rest.isEmpty {
            let names = Array(rest.prefix(HubLimits.expiredPerReadMax))
            rest = rest.dropFirst(names.count)
            let known = try await storage.blobs(among: names)
            for name in names where !known.contains(name) {
                do {
                    if try await files.removeOrphan(name) { count += 1 }
                } catch {
                    failures.note(error)
                    isDone = false
                }
            }
        }
        return isDone
    }

    private func log(_ failures: Failures) {
        guard let first = failures.first else { return }
        logger.warning("files not removed", metadata: ["count": "\(failures.count)", "error": "\(first)"])
    }
}

extension Timestamp {
    fileprivate func minus(seconds: Int64) -> Timestamp { Timestamp(milliseconds: milliseconds - seconds * 1000) }
}
