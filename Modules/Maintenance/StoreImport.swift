import CausewayBlobs
import CausewayModels
package import CausewayStorage
import CausewaySystem
import Foundation

/// Makes a store from the lines of an export, in a folder that contains none.
///
/// The store is made in the staging folder and takes its place when the last line was read and everything agrees; after
/// an error, or a crash, before that there is no store. One that follows leaves the whole store in the staging folder:
/// a migration to its kind completes the import.
package final class StoreImport {
    /// The result of an import.
    package struct Report: Sendable, Hashable, Codable {
        package var kind: String
        package var entries: StoreEntryCounts
        package var files: Int
    }

    /// The reason why an export was refused.
    package enum Problem: Error, Sendable, Hashable {
        /// The line, counted from 1, and what is wrong with it.
        case line(Int, String)
        case store(StoreError)
    }

    /// Bytes of one line: a message of the largest size, in its confirmed and its displayed form, fits twice.
    package static let lineBytesMax = 8 << 20
    private static let batchEntries = 1000

    private let tools: StoreFolderTools
    private let change: StoreSwitch
    private let writer: any StoreWriter
    private let blobs: BlobFolder
    private let progress: ToolProgress

    private var audit = StoreAudit()
    private var batch: [StoreEntry] = []
    private var lines = 0
    /// The beginning of a line.
    private var unfinished: [UInt8] = []
    private var hasEnded = false
    private var hasAccount = false
    /// True once the new store is marked as complete.
    private var isDecided = false
    /// The messages of each file that is not there yet.
    private var needed: [String: [StoreAudit.NeededFile]] = [:]
    /// The files that are complete, and the one that is being read.
    private var files: Set<String> = []
    private var part: (sha256: String, path: String, file: OpenFile, offset: Int64, size: Int64)?

    /// Begins an import.
    ///
    /// - Parameter kind: the kind of the new store.
    package init(
        _ tools: StoreFolderTools, kind: String, progress: @escaping ToolProgress
    ) throws(StoreError) {
        self.tools = tools
        self.progress = progress
        try UnfinishedWork.require(none: tools.folder)
        if let found = tools.found {
            throw .notAccessible(
                path: tools.folder, detail: "it contains a store (\(found.name)); import into an empty folder (--store)"
            )
        }
        try Self.requireNoRemains(tools)
        change = StoreSwitch(folder: tools.folder, target: try tools.format(kind), formats: tools.formats)
        do throws(SystemError) {
            try FileSystem.removeFolderOfTools(change.staging)
            try FileSystem.makeFolder(change.staging)
        } catch {
            throw StoreFolderTools.failure(error, at: change.staging)
        }
        writer = try change.target.writer(to: change.staging)
        do throws(BlobError) {
            blobs = try BlobFolder(at: change.staging + "/blobs")
        } catch {
            throw .notAccessible(path: change.staging, detail: error.description)
        }
    }

    /// Throws if the folder has files of a store that is gone. A new store would take them for its own, and the files
    /// of its messages would find their place taken.
    private static func requireNoRemains(_ tools: StoreFolderTools) throws(StoreError) {
        var remains: [String] = []
        for format in tools.formats { remains += try format.fileNames(in: tools.folder) }
        let blobs = tools.folder + "/blobs"
        do throws(SystemError) { remains += try FileSystem.names(in: blobs).prefix(1).map { "blobs/" + $0 } } catch {
            if !error.isNotFound { throw StoreFolderTools.failure(error, at: blobs) }
        }
        guard let first = remains.first else { return }
        throw .notAccessible(
            path: tools.folder,
            detail: "it contains remains of a store (\(first)); move them away, or name another folder (--store)")
    }

    /// Removes everything that was made, unless the store is complete already.
    package func cancel() {
        if isDecided { return }
        // Its mark first: what remains after a crash here is no store.
        try? FileSystem.removeIfPresent("\(change.staging)/\(UnfinishedWork.complete)")
        try? FileSystem.removeFolderOfTools(change.staging)
    }

    /// - Parameter line: without its end.
    private func add(_ line: [UInt8]) throws(Problem) {
        lines += 1
        let decoded: EntryLine
        do throws(EntryLine.Malformed) { decoded = try EntryLine(line) } catch {
            throw .line(lines, error.description)
        }
        if hasEnded { throw .line(lines, "it follows the end") }
        switch decoded {
        case .entry(let entry): try add(entry)
        case .file(let part): try add(part)
        case .end(let count):
            guard count == lines - 1 else {
                throw .line(lines, "\(count) lines should precede it, not \(lines - 1)")
            }
            hasEnded = true
        }
        if lines.isMultiple(of: 1000) { progress("importing", Int64(lines), nil) }
    }

    private func add(_ entry: StoreEntry) throws(Problem) {
        if case .header = entry {
            guard lines == 1 else { throw .line(lines, "only the first line may be of type `store`") }
        } else if lines == 1 {
            throw .line(1, "the first line must be of type `store`; it is not an export")
        }
        if case .account = entry { hasAccount = true }
        switch entry {
        case .header, .account: break
        default: if !hasAccount { throw .line(lines, "no line of type `account` precedes it") }
        }
        let known = audit.files.count
        if let problem = audit.add(entry).first { throw .line(lines, "\(problem.place): \(problem.detail)") }
        for file in audit.files[known...] { needed[file.sha256, default: []].append(file) }
        batch.append(entry)
        if batch.count >= Self.batchEntries { try write() }
    }

    private func write() throws(Problem) {
        do throws(StoreError) { try writer.append(batch) } catch { throw .store(error) }
        batch = []
    }

    private func add(_ next: EntryLine.FilePart) throws(Problem) {
        do throws(SystemError) {
            if part == nil {
                let path = "\(change.staging)/incoming"
                try FileSystem.removeIfPresent(path)
                let file = try OpenFile(path, for: .readingAndWriting, .create)
                part = (next.sha256, path, file, 0, next.size)
            }
            if let part, next.sha256 == part.sha256, next.offset == part.offset, next.size == part.size {
                try part.file.writeAll(Array(next.bytes), at: next.offset)
                self.part?.offset += Int64(next.bytes.count)
                return
            }
        } catch {
            throw .store(StoreFolderTools.failure(error, at: change.staging))
        }
        throw .line(lines, "the parts of a file do not follow one another")
    }

    /// Adds the file that was read completely to the files of its messages.
    private func completeFile() async throws(Problem) {
        guard let complete = part, complete.offset == complete.size else { return }
        part = nil
        let waiting = needed.removeValue(forKey: complete.sha256) ?? []
        if waiting.isEmpty, !files.contains(complete.sha256) {
            throw .line(lines, "no message has the file \(complete.sha256)")
        }
        for file in waiting {
            let reference = BlobReference(account: file.account, message: file.message)
            let found: Attachment
            do throws(BlobError) {
                found = try await blobs.add(fileAt: complete.path, for: reference, bytesMax: complete.size)
            } catch {
                throw .store(.other(detail: error.description))
            }
            guard found.sha256 == complete.sha256 else {
                throw .line(lines, "the content of the file \(complete.sha256) does not match its hash")
            }
        }
        files.insert(complete.sha256)
        try? FileSystem.removeIfPresent(complete.path)
    }

    /// Reads the next part of the export, which may begin and end anywhere in a line.
    package func add(part bytes: [UInt8]) async throws(Problem) {
        var rest = bytes[...]
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
            unfinished += rest[..<end]
            rest = rest[(end + 1)...]
            try await addLine()
        }
        unfinished += rest
        guard unfinished.count <= Self.lineBytesMax else {
            throw .line(lines + 1, "it is longer than \(Self.lineBytesMax) bytes")
        }
    }

    private func addLine() async throws(Problem) {
        let line = unfinished
        unfinished = []
        try add(line)
        try await completeFile()
    }

    /// Puts the store in place. Nothing precedes it that could be opened.
    package func finish() async throws(Problem) -> Report {
        // The last line may lack its end.
        if !unfinished.isEmpty { try await addLine() }
        guard hasEnded else { throw .line(lines + 1, "the export is cut: its last line is missing") }
        if let problem = audit.finish().first { throw .line(lines, "\(problem.place): \(problem.detail)") }
        if part != nil { throw .line(lines, "a file is cut") }
        if let missing = audit.files.first(where: { needed[$0.sha256]?.contains($0) == true }) {
            throw .line(lines, "the file of message \(missing.message) is missing, or precedes it")
        }
        try write()
        await blobs.close()
        do throws(StoreError) {
            try writer.finish()
            try change.commit()
            isDecided = true
            try change.run()
        } catch {
            throw .store(error)
        }
        return Report(kind: change.target.name, entries: audit.counts, files: files.count)
    }
}
