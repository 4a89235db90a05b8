package import CausewayStorage
import CausewaySystem

/// The tools' access to a file store that no process has open.
package struct FileFormat: StoreFormat {
    package init() {}

    package var name: String { "file" }

    package func exists(in folder: String) -> Bool {
        guard let names = try? FileSystem.names(in: folder) else { return false }
        return names.contains { $0 == StoreFiles.snapshot || StoreFiles.journalNumber($0) != nil }
    }

    /// The journal comes last, its newest file at the end.
    package func fileNames(in folder: String) throws(StoreError) -> [String] {
        do throws(SystemError) {
            let names = try FileSystem.names(in: folder)
            let journal = names.filter { StoreFiles.journalNumber($0) != nil }.sorted()
            return [StoreFiles.journalEnd, StoreFiles.newSnapshot, StoreFiles.snapshot].filter(names.contains) + journal
        } catch {
            throw StoreFiles(folder: folder).failure(error, at: "")
        }
    }

    package func reader(of folder: String) throws(StoreError) -> any StoreReader {
        try FileReader(ReadOnlyDisk(SystemDisk(folder)), StoreFiles(folder: folder))
    }

    /// Opens a store on a disk of a test's own.
    package static func reader(on disk: any Disk) throws(StoreError) -> any StoreReader {
        try FileReader(ReadOnlyDisk(disk), StoreFiles(folder: "store"))
    }

    package func writer(to folder: String) throws(StoreError) -> any StoreWriter {
        try FileWriter(SystemDisk(folder), StoreFiles(folder: folder))
    }
}

/// A disk on which nothing changes: what recovery would cut or remove stays as it is, and counts as cut or removed.
struct ReadOnlyDisk: Disk {
    private let disk: any Disk

    init(_ disk: any Disk) { self.disk = disk }

    func makeFolder() {}
    func names() throws(SystemError) -> [String] { try disk.names() }

    func open(_ name: String, isNew: Bool) throws(SystemError) -> any DiskFile {
        if isNew { throw .broken }
        return ReadOnlyFile(file: try disk.open(name, isNew: false))
    }

    func rename(_ name: String, to target: String) throws(SystemError) { throw .broken }
    func remove(_ name: String) {}
    func syncNames() {}

    func note(_ name: String, wordsCount: Int) throws(SystemError) -> any DiskNote {
        guard try disk.names().contains(name) else { return ReadOnlyNote(words: []) }
        let bytes = try disk.open(name, isNew: false).read(at: 0, count: wordsCount * 4)
        let words = stride(from: 0, to: bytes.count / 4 * 4, by: 4).map { bytes.littleEndian(UInt32.self, at: $0) }
        return ReadOnlyNote(words: words.map(\.littleEndian))
    }
}

private struct ReadOnlyNote: DiskNote {
    let words: [UInt32]

    func write(_ words: [UInt32]) {}
}

private struct ReadOnlyFile: DiskFile {
    let file: any DiskFile

    func size() throws(SystemError) -> Int64 { try file.size() }

    func read(at offset: Int64, count: Int) throws(SystemError) -> [UInt8] { try file.read(at: offset, count: count) }

    /// Recovery writes again what it has read.
    func write(_ bytes: [UInt8], from start: Int, at offset: Int64) -> Int { bytes.count - start }
    func truncate(to length: Int64) {}
    func sync() {}
}
