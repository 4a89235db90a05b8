package import CausewayStorage
import CausewaySystem

/// The tools' access to a store in SQLite that no process has open.
package struct SQLiteFormat: StoreFormat {
    package init() {}

    package var name: String { "sqlite" }

    package func exists(in folder: String) -> Bool { FileSystem.exists(StoreFolder(path: folder).database) }

    /// The database comes last: until it has left, the folder contains a store of this kind.
    package func fileNames(in folder: String) throws(StoreError) -> [String] {
        let names = ["log-end", "store.sqlite.new", "store.sqlite-shm", "store.sqlite-wal", "store.sqlite"]
        var found: [String] = []
        do throws(SystemError) {
            for name in names {
                if try !FileSystem.isMissing(folder + "/" + name) { found.append(name) }
            }
        } catch {
            throw StoreFolder.failure(error, at: folder)
        }
        return found
    }

    package func reader(of folder: String) throws(StoreError) -> any StoreReader {
        try SQLiteReader(StoreFolder(path: folder))
    }

    package func writer(to folder: String) throws(StoreError) -> any StoreWriter {
        try SQLiteWriter(StoreFolder(path: folder))
    }
}
