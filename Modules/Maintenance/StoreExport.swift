import CausewayBlobs
package import CausewayStorage
import CausewaySystem
import Foundation

/// Writes the content of a store as lines of JSON (`Documentation/Export.md`), with the files of messages that are not
/// delivered. Contains no secret.
package struct StoreExport {
    /// The result of an export.
    package struct Report: Sendable, Hashable, Codable {
        package var entries: StoreEntryCounts
        package var files: Int
        package var lines: Int
    }

    /// Bytes of a file in one line.
    static let filePartBytes = 48 << 10
    /// Bytes that are written at once.
    private static let bufferBytes = 256 << 10

    private let tools: StoreFolderTools
    private let progress: ToolProgress

    package init(_ tools: StoreFolderTools, progress: @escaping ToolProgress) {
        self.tools = tools
        self.progress = progress
    }

    /// Writes the lines through `write`, in parts.
    ///
    /// An entry that cannot be read ends the export. So does the file of a message that does not match its hash, after
    /// some of its lines: what was written has no last line then.
    package func run<Failure: Error>(
        failure: (StoreError) -> Failure, _ write: ([UInt8]) throws(Failure) -> Void
    ) throws(Failure) -> Report {
        var buffer: [UInt8] = []
        var lines = 0
        var problem: Failure?
        // The errors of a reader have another type than those of the output.
        func put(_ line: EntryLine) throws(StoreError) {
            buffer += try line.encoded()
            buffer.append(UInt8(ascii: "\n"))
            lines += 1
            guard buffer.count >= Self.bufferBytes else { return }
            do throws(Failure) { try write(buffer) } catch {
                problem = error
                throw .closed
            }
            buffer = []
        }
        var audit = StoreAudit()
        var files = 0
        do throws(StoreError) {
            let reader = try tools.required().reader(of: tools.folder)
            defer { reader.close() }
            try reader.readAll { entry throws(StoreError) in
                _ = audit.add(entry)
                try put(.entry(entry))
                if lines.isMultiple(of: 1000) { progress("exporting", Int64(lines), nil) }
            }
            for sha256 in Set(audit.files.map(\.sha256)).sorted() {
                try putFile(sha256, put)
                files += 1
            }
            try put(.end(lines: lines))
        } catch {
            throw problem ?? failure(error)
        }
        try write(buffer)
        return Report(entries: audit.counts, files: files, lines: lines)
    }

    private func putFile(_ sha256: String, _ put: (EntryLine) throws(StoreError) -> Void) throws(StoreError) {
        let path = "\(tools.folder)/blobs/\(sha256)"
        let file: OpenFile
        let size: Int64
        do throws(SystemError) {
            file = try OpenFile(path, for: .reading, .noLink)
            size = try file.status().bytesCount
        } catch {
            throw StoreFolderTools.failure(error, at: path)
        }
        var offset: Int64 = 0
        var digest = BlobDigest()
        repeat {
            let part: [UInt8]
            do throws(SystemError) {
                part = try file.bytes(at: offset, count: Self.filePartBytes)
                if part.isEmpty, size > 0 { throw SystemError.broken }
            } catch {
                throw StoreFolderTools.failure(error, at: path)
            }
            digest.update(part)
            try put(.file(.init(sha256: sha256, offset: offset, size: size, bytes: Data(part))))
            offset += Int64(part.count)
        } while offset < size
        guard digest.sha256 == sha256 else {
            throw .damaged(
                path: path, detail: "its content does not match its name; `causeway store check` lists all problems")
        }
    }
}
