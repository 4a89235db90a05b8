import CausewayBlobs
package import CausewayStorage
import CausewaySystem

/// Moves the content of a store into a store of the other kind, in the same folder.
///
/// The new store is made beside the old one, read again, and compared with it; only then it takes its place
/// (``StoreSwitch``). A migration that was interrupted is called again: before the copy was complete it begins anew,
/// then it goes on with the comparison, and after that only the switch is completed. The store may be used in between:
/// a copy that no longer equals it is made anew. The files of messages stay where they are: both kinds keep them alike.
/// The former store stays in `former-KIND` until it is discarded.
package struct StoreMigration {
    /// The result of a migration.
    package struct Report: Sendable, Hashable, Codable {
        package var from: String
        package var to: String
        package var entries: StoreEntryCounts
        /// True if an earlier call had made the new store already.
        package var isResumed: Bool
        /// The folder with the former store; `nil` if it was discarded.
        package var former: String?
    }

    /// Entries that are written in one transaction.
    private static let batchEntries = 1000

    private let tools: StoreFolderTools
    private let progress: ToolProgress

    package init(_ tools: StoreFolderTools, progress: @escaping ToolProgress) {
        self.tools = tools
        self.progress = progress
    }

    /// - Parameter discardsFormer: removes the former store afterwards, and one that an earlier migration has left.
    package func run(to kind: String, discardsFormer: Bool) throws(StoreError) -> Report {
        let target = try tools.format(kind)
        let change = StoreSwitch(folder: tools.folder, target: target, formats: tools.formats)
        if let decided = UnfinishedWork.migration(in: tools.folder) {
            guard decided == kind else {
                throw .other(detail: "a migration to \(decided) was interrupted; complete that one first")
            }
            try change.run()
            return try finish(report(from: nil, to: target, StoreEntryCounts(), isResumed: true), discardsFormer)
        }
        let source = try tools.required()
        if source.name == kind {
            return try finish(report(from: source, to: target, StoreEntryCounts(), isResumed: false), discardsFormer)
        }
        try removeFormer(source, isAllowed: discardsFormer)
        let earlier = try earlierCopy(of: source, in: target, change.staging)
        let entries: StoreEntryCounts
        if let earlier {
            entries = earlier
        } else {
            try makeStaging(change)
            entries = try copy(source, to: target, in: change.staging)
        }
        try change.commit()
        try change.run()
        return try finish(report(from: source, to: target, entries, isResumed: earlier != nil), discardsFormer)
    }

    private func report(
        from source: (any StoreFormat)?, to target: any StoreFormat, _ entries: StoreEntryCounts, isResumed: Bool
    ) -> Report {
        let other = source ?? tools.formats.first { $0.name != target.name } ?? target
        return Report(from: other.name, to: target.name, entries: entries, isResumed: isResumed)
    }

    private func finish(_ report: Report, _ discardsFormer: Bool) throws(StoreError) -> Report {
        var report = report
        for format in tools.formats {
            let former = StoreSwitch.former(format, in: tools.folder)
            guard FileSystem.exists(former) else { continue }
            if discardsFormer {
                try removeFormer(format, isAllowed: true)
            } else if format.name != report.to {
                report.former = former
            }
        }
        return report
    }

    private func removeFormer(_ format: any StoreFormat, isAllowed: Bool) throws(StoreError) {
        let former = StoreSwitch.former(format, in: tools.folder)
        guard FileSystem.exists(former) else { return }
        guard isAllowed else {
            throw .other(
                detail: "\(former) holds the former store of an earlier migration; remove it, or pass --discard-former")
        }
        do throws(SystemError) { try FileSystem.removeFolderOfTools(former) } catch {
            throw StoreFolderTools.failure(error, at: former)
        }
    }

    private func makeStaging(_ change: StoreSwitch) throws(StoreError) {
        do throws(SystemError) {
            try FileSystem.removeFolderOfTools(change.staging)
            try FileSystem.makeFolder(change.staging)
        } catch {
            throw StoreFolderTools.failure(error, at: change.staging)
        }
    }

    private func copy(
        _ source: any StoreFormat, to target: any StoreFormat, in staging: String
    ) throws(StoreError) -> StoreEntryCounts {
        let reader = try source.reader(of: tools.folder)
        defer { reader.close() }
        let writer = try target.writer(to: staging)
        var written = StoreFingerprint()
        var batch: [StoreEntry] = []
        try reader.readAll { entry throws(StoreError) in
            written.add(entry)
            batch.append(entry)
            guard batch.count >= Self.batchEntries else { return }
            try writer.append(batch)
            batch = []
            progress("copying", Int64(written.counts.total), nil)
        }
        try writer.append(batch)
        try writer.finish()
        try UnfinishedWork.markCopied(to: target.name, in: tools.folder)
        guard try verified(target, in: staging, written.counts) == written else {
            throw .other(
                detail: "the new store differs from the old one, which remains in use; "
                    + "run `causeway store check`, and report this")
        }
        return written.counts
    }

    /// The content of the copy that an interrupted call has made; `nil` if there is none, or the store has changed
    /// since then.
    private func earlierCopy(
        of source: any StoreFormat, in target: any StoreFormat, _ staging: String
    ) throws(StoreError) -> StoreEntryCounts? {
        guard UnfinishedWork.copied(in: tools.folder) == target.name else { return nil }
        let reader = try source.reader(of: tools.folder)
        defer { reader.close() }
        var present = StoreFingerprint()
        try reader.readAll { entry throws(StoreError) in present.add(entry) }
        let found: StoreFingerprint
        // A damaged copy is made anew, like one that is missing.
        do throws(StoreError) { found = try verified(target, in: staging, present.counts) } catch { return nil }
        return found == present ? present.counts : nil
    }

    /// Reads and verifies the new store.
    private func verified(
        _ target: any StoreFormat, in staging: String, _ expected: StoreEntryCounts
    ) throws(StoreError) -> StoreFingerprint {
        let copy = try target.reader(of: staging)
        defer { copy.close() }
        var found = StoreFingerprint()
        let bytes = copy.findings.bytes
        try copy.verify {
            progress("verifying the files", $0, bytes)
        } _: { problem throws(StoreError) in
            throw .damaged(path: problem.place, detail: problem.detail)
        }
        try copy.readAll { entry throws(StoreError) in
            found.add(entry)
            let done = found.counts.total
            if done.isMultiple(of: 1000) { progress("verifying", Int64(done), Int64(expected.total)) }
        }
        return found
    }
}
