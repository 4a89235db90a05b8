internal import CausewayModels
package import CausewayStorage
package import CausewaySystem

/// A blob's file, open for reading. The file remains readable when its name is gone.
final class OpenBlob: Blob {
    let size: Int64
    private let name: String
    private let file: OpenFile
    private let reads: BlockingQueues

    var path: String? { name }

    /// Blocks the thread.
    init(_ path: String, size: Int64, _ reads: BlockingQueues) throws(BlobError) {
        name = path
        self.size = size
        self.reads = reads
        let found: Int64
        do throws(SystemError) {
            file = try OpenFile(path, for: .reading, .noLink)
            found = try file.status().bytesCount
        } catch {
            throw BlobError(reading: path, error)
        }
        guard found == size else {
            throw .damaged(path: path, detail: "it has \(found) bytes instead of \(size)")
        }
    }

    func read(at offset: Int64, count: Int) async throws(BlobError) -> [UInt8] {
        guard offset >= 0, offset < size, count > 0 else { return [] }
        let wanted = Int(min(size - offset, Int64(min(count, Limits.blobPartBytesMax))))
        return try await reads.perform { [file, name] () throws(BlobError) in
            let bytes: [UInt8]
            do throws(SystemError) {
                bytes = try file.bytes(at: offset, count: wanted)
            } catch {
                throw BlobError(reading: name, error)
            }
            guard bytes.count == wanted else { throw .damaged(path: name, detail: "it ends before its size") }
            return bytes
        }
    }
}

extension BlobError {
    /// The failure to open or to read the file of a blob.
    ///
    /// A want of resources passes, and is no damage: the message of a damaged file fails for good.
    package init(reading path: String, _ error: SystemError) {
        self =
            error.isOutOfResources
            ? .notAccessible(path: path, detail: error.description)
            : .damaged(path: path, detail: error.description)
    }
}
