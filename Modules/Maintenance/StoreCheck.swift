import CausewayBlobs
import CausewayModels
package import CausewayStorage

/// The findings of a check of a store: everything that was read, and everything that is wrong.
package struct StoreCheckReport: Sendable, Hashable, Codable {
    /// The folder.
    package var store: String
    /// `sqlite` or `file`.
    package var kind: String
    package var version: String
    /// The bytes of the store's own files.
    package var bytes: Int64
    package var entries: StoreEntryCounts
    /// Messages and operations by their state.
    package var states: [String: Int]
    package var blobs: Int
    package var blobBytes: Int64
    /// Files that no message needs, which the next opening removes.
    package var unneededFiles: Int
    /// Bytes of an unfinished last write; no loss under `durability = full`, and cut at the next opening.
    package var tornBytes: Int64
    package var tornAt: String?
    /// All problems; ``problems`` has the first of them.
    package var problemCount: Int
    package var problems: [StoreProblem]

    /// True if nothing is wrong; an unfinished last write is not wrong.
    package var isSound: Bool { problemCount == 0 }
}

/// Verifies everything in a store, and changes nothing: every page or frame, every entry, the indexes, the invariants
/// between the entries, and the files of messages.
///
/// Every byte has a checksum: in a file store in its frame, in a store in SQLite in its page or its part of the log,
/// and so has every message's file. A large store in SQLite that an earlier version made has none of its pages until it
/// is compacted: there a changed byte is found by `PRAGMA integrity_check` (structure, indexes, order of keys), by
/// decoding every value, or by the invariants, and one that turns a value into another valid one is not found.
package struct StoreCheck {
    /// The problems that a report lists; the others are counted.
    package static let problemsListedMax = 100

    private let tools: StoreFolderTools
    private let progress: ToolProgress

    package init(_ tools: StoreFolderTools, progress: @escaping ToolProgress) {
        self.tools = tools
        self.progress = progress
    }

    /// Throws only if the store cannot be read at all; damage that its opening would refuse is one of the problems.
    package func run() throws(StoreError) -> StoreCheckReport {
        let format = try tools.required(changesNothing: true)
        var report = StoreCheckReport(
            store: tools.folder, kind: format.name, version: "", bytes: 0, entries: StoreEntryCounts(), states: [:],
            blobs: 0, blobBytes: 0, unneededFiles: 0, tornBytes: 0, tornAt: nil, problemCount: 0, problems: [])
        var audit = StoreAudit()
        do throws(StoreError) {
            try read(format, &audit, &report)
        } catch {
            guard case .damaged(let path, let detail) = error else { throw error }
            Self.add([StoreProblem("damaged", at: path, detail)], to: &report)
        }
        report.entries = audit.counts
        for (state, count) in audit.states { report.states[state.rawValue] = count }
        let blobs = try BlobFolderAudit(of: tools.folder + "/blobs", needed: audit.files) { bytes in
            progress("files of messages", bytes, nil)
        }
        Self.add(blobs.problems, to: &report)
        report.blobs = blobs.usage.blobs
        report.blobBytes = blobs.usage.bytes
        report.unneededFiles = blobs.unneeded
        return report
    }

    private func read(
        _ format: any StoreFormat, _ audit: inout StoreAudit, _ report: inout StoreCheckReport
    ) throws(StoreError) {
        let reader = try format.reader(of: tools.folder)
        defer { reader.close() }
        report.version = reader.findings.version
        report.bytes = reader.findings.bytes
        report.tornBytes = reader.findings.tornBytes
        report.tornAt = reader.findings.tornAt
        let bytes = report.bytes
        progress("files of the store", 0, bytes)
        try reader.verify {
            progress("files of the store", $0, bytes)
        } _: {
            Self.add([$0], to: &report)
        }
        try reader.read { entry throws(StoreError) in
            Self.add(audit.add(entry), to: &report)
            let done = audit.counts.total
            if done.isMultiple(of: 1000) { progress("entries", Int64(done), nil) }
        } problem: {
            Self.add([$0], to: &report)
        }
        Self.add(audit.finish(), to: &report)
    }

    private static func add(_ problems: [StoreProblem], to report: inout StoreCheckReport) {
        report.problemCount += problems.count
        report.problems += problems.prefix(max(0, problemsListedMax - report.problems.count))
    }
}
