internal import CausewayModels
package import CausewayStorage
internal import CausewaySystem

/// Verifies a folder of blobs that no process has open, without a change.
package struct BlobFolderAudit: Sendable {
    /// Blobs, and their bytes.
    package private(set) var usage = BlobUsage(blobs: 0, bytes: 0)
    /// Files that no message needs any longer, which the next opening of the store removes.
    package private(set) var unneeded = 0
    package private(set) var problems: [StoreProblem] = []

    /// Reads every blob, and compares it with its name and with the messages that need it. Blocks the thread; linear in
    /// the bytes of all blobs.
    ///
    /// - Parameter progress: called with the bytes that were read so far.
    package init(
        of path: String, needed: [StoreAudit.NeededFile], progress: (Int64) -> Void
    ) throws(StoreError) {
        var sizes: [String: Int64] = [:]
        var references: Set<String> = []
        var held: Set<String> = []
        for name in try Self.names(path) {
            switch BlobFileName(name) {
            case .blob(let sha256): sizes[sha256] = try verify(path + "/" + name, sha256, progress)
            case .reference(let sha256, _, _):
                references.insert(name)
                held.insert(sha256)
            case .incomplete: unneeded += 1
            case nil: break
            }
        }
        unneeded += sizes.keys.filter { !held.contains($0) }.count
        for file in needed {
            let place = "message \(file.message)"
            let reference = BlobFolder.referenceName(
                file.sha256, BlobReference(account: file.account, message: file.message))
            guard let size = sizes[file.sha256] else {
                problems.append(StoreProblem("blob", at: place, "its file \(file.sha256) is missing"))
                continue
            }
            if size != file.size {
                problems.append(
                    StoreProblem("blob", at: place, "its file has \(size) bytes instead of \(file.size)"))
            }
            if !references.contains(reference) {
                problems.append(
                    StoreProblem("blob", at: place, "nothing keeps its file: the reference \(reference) is missing"))
            }
        }
    }

    private static func names(_ path: String) throws(StoreError) -> [String] {
        do throws(SystemError) { return try FileSystem.names(in: path).sorted() } catch {
            if error.isNotFound { return [] }
            throw .notAccessible(path: path, detail: error.description)
        }
    }

    /// - Returns: the size of the file.
    private mutating func verify(
        _ path: String, _ sha256: String, _ progress: (Int64) -> Void
    ) throws(StoreError) -> Int64 {
        var digest = BlobDigest()
        let bytesBefore = usage.bytes
        do throws(SystemError) {
            let file = try OpenFile(path, for: .reading, .noLink)
            try digest.updateToEnd(of: file) { progress(bytesBefore + $0) }
        } catch {
            problems.append(StoreProblem("blob", at: path, "it cannot be read: \(error)"))
        }
        if digest.sha256 != sha256 {
            problems.append(StoreProblem("blob", at: path, "its content does not match its name"))
        }
        usage.blobs += 1
        usage.bytes += digest.bytesCount
        return digest.bytesCount
    }
}
