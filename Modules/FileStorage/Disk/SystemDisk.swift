import CausewaySystem
import Synchronization

/// The files of a store in a folder of the operating system.
struct SystemDisk: Disk {
    let folder: String

    init(_ folder: String) { self.folder = folder }

    private func path(_ name: String) -> String { folder + "/" + name }

    func makeFolder() throws(SystemError) {
        try FileSystem.makeFolders(folder) { parent throws(SystemError) in
            try FileSystem.syncFolder(parent)
        } failed: { _, error in
            error
        }
    }

    func names() throws(SystemError) -> [String] { try FileSystem.names(in: folder) }

    func open(_ name: String, isNew: Bool) throws(SystemError) -> any DiskFile {
        SystemFile(try OpenFile(path(name), for: .readingAndWriting, isNew ? [.create, .exclusive, .noLink] : .noLink))
    }

    func rename(_ name: String, to target: String) throws(SystemError) {
        try FileSystem.rename(path(name), to: path(target))
    }

    func remove(_ name: String) throws(SystemError) { try FileSystem.remove(path(name)) }

    func syncNames() throws(SystemError) { try FileSystem.syncFolder(folder) }

    func note(_ name: String, wordsCount: Int) throws(SystemError) -> any DiskNote {
        try SystemNote(path(name), wordsCount: wordsCount)
    }
}

private final class SystemNote: DiskNote {
    private let page: Mutex<MappedPage>

    init(_ path: String, wordsCount: Int) throws(SystemError) {
        page = Mutex(try MappedPage(path, wordsCount: wordsCount))
    }

    var words: [UInt32] { page.withLock { $0.words } }
    func write(_ words: [UInt32]) { page.withLock { $0.words = words } }
}

private struct SystemFile: DiskFile {
    private let file: OpenFile

    init(_ file: OpenFile) { self.file = file }

    func size() throws(SystemError) -> Int64 { try file.status().bytesCount }

    func read(at offset: Int64, count: Int) throws(SystemError) -> [UInt8] {
        var failure: SystemError?
        // Not filled with zeros first: that would cost as much as the reading.
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            let all = UnsafeMutableRawBufferPointer(buffer)
            do throws(SystemError) {
                // The system may return less than there is.
                while filled < count {
                    let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: all[filled...])
                    let read = unsafe try file.read(at: offset + Int64(filled), into: rest)
                    if read == 0 { break }
                    filled += read
                }
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
        return bytes
    }

    func write(_ bytes: [UInt8], from start: Int, at offset: Int64) throws(SystemError) -> Int {
        try file.write(start == 0 ? bytes : Array(bytes[start...]), at: offset)
    }

    func truncate(to length: Int64) throws(SystemError) { try file.truncate(to: length) }

    func sync() throws(SystemError) { try file.syncData() }
}
