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

    /// Opens a file that contains a note, and creates it if it is missing.
    ///
    /// - Parameter wordsCount: the length of the note.
    func note(_ name: String, wordsCount: Int) throws(SystemError) -> any DiskNote
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

/// A few words that survive the process that wrote them, and reach the disk at some later time: writing them takes no
/// system call and does not fail. A power failure may leave an earlier note, or a mixture of two.
package protocol DiskNote: Sendable {
    /// The words in the byte order of the file; zeros in a new one.
    var words: [UInt32] { get }

    func write(_ words: [UInt32])
}
