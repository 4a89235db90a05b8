package import CausewaySystem

/// The port to the file system, for the files of one store: everything that the journal and the snapshots do on a disk.
///
/// Names are those of files in the store's folder. Calls block the thread and may come from any thread. A call that
/// throws may have taken effect in part.
package protocol Disk: Sendable {
    /// Creates the folder and its missing parents, durably.
    func makeFolder() throws(SystemError)

    /// The names of the files.
    func names() throws(SystemError) -> [String]

    /// Opens a file for reading and writing.
    ///
    /// - Parameter isNew: creates the file, and fails if it exists; otherwise it must exist.
    func open(_ name: String, isNew: Bool) throws(SystemError) -> any DiskFile

    /// Gives a file another name, in one step, and replaces the file that has it.
    func rename(_ name: String, to target: String) throws(SystemError)

    func remove(_ name: String) throws(SystemError)

    /// Returns when the names of the files are on the disk.
    func syncNames() throws(SystemError)
}

/// An open file of a ``Disk``. It stays readable after its name was removed, until it is released.
package protocol DiskFile: Sendable {
    func size() throws(SystemError) -> Int64

    /// The bytes from an offset, at most `count`; fewer only at the end of the file.
    func read(at offset: Int64, count: Int) throws(SystemError) -> [UInt8]

    /// Writes the bytes from `start` on at an offset.
    ///
    /// - Returns: the number of bytes written, which may be lower.
    func write(_ bytes: [UInt8], from start: Int, at offset: Int64) throws(SystemError) -> Int

    /// Cuts the file to this length.
    func truncate(to length: Int64) throws(SystemError)

    /// Returns when the content of the file and its length are on the disk.
    func sync() throws(SystemError)
}
