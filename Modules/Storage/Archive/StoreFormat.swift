/// A kind of store on disk, for the tools that work on a store which no process has open: checks, exports, imports,
/// migrations.
///
/// All calls block the thread. The caller holds the lock of the folder, and no store is open in it.
package protocol StoreFormat: Sendable {
    /// The name of the kind in the settings: `sqlite`, `file`.
    var name: String { get }

    /// True if the folder contains a store of this kind.
    func exists(in folder: String) -> Bool

    /// The names of the store's own files in the folder, in the order in which they are to be moved elsewhere: a folder
    /// with some of them is still recognised as a store of this kind until the last one has left. Without blobs.
    func fileNames(in folder: String) throws(StoreError) -> [String]

    /// Opens a store for reading. Changes nothing in it: the remains of an unfinished last write are left where they
    /// are, and not read.
    func reader(of folder: String) throws(StoreError) -> any StoreReader

    /// Creates a store in a folder that contains none.
    func writer(to folder: String) throws(StoreError) -> any StoreWriter
}

/// Reads the content of a store that nothing changes meanwhile. Used by one thread.
package protocol StoreReader {
    /// The findings about the files as a whole, before any entry is read.
    var findings: StoreFindings { get }

    /// Verifies the files beyond what reading the entries does: every page, every frame, every index.
    ///
    /// - Parameters:
    ///   - progress: called with the bytes that were verified so far, once for each MiB at most; never by a store that
    ///     verifies its file as a whole.
    ///   - problem: called for each problem.
    func verify(
        progress: (_ bytes: Int64) -> Void, _ problem: (StoreProblem) throws(StoreError) -> Void
    ) throws(StoreError)

    /// Calls `entry` for each entry in the order of ``StoreEntry``, and `problem` in place of one that cannot be read.
    ///
    /// Cost: linear in the content; memory for one entry, and some bytes for each message.
    func read(
        _ entry: (StoreEntry) throws(StoreError) -> Void, problem: (StoreProblem) throws(StoreError) -> Void
    ) throws(StoreError)

    func close()
}

/// Fills a new store. Used by one thread.
package protocol StoreWriter {
    /// Adds entries, in the order of ``StoreEntry``.
    ///
    /// Throws ``StoreError/duplicate(_:)`` for an id that the account has already.
    func append(_ entries: [StoreEntry]) throws(StoreError)

    /// Makes the store complete and durable. Until then it must not be opened.
    func finish() throws(StoreError)
}

/// Properties of a store's files.
package struct StoreFindings: Sendable, Hashable {
    /// The version of the format.
    package var version: String
    /// Bytes of an unfinished last write, which was never acknowledged under `durability = full`; removed when the
    /// store is opened.
    package var tornBytes: Int64
    /// The file with the unfinished write, and the offset at which it begins.
    package var tornAt: String?
    /// Bytes in the store's own files.
    package var bytes: Int64

    package init(version: String, tornBytes: Int64 = 0, tornAt: String? = nil, bytes: Int64 = 0) {
        self.version = version
        self.tornBytes = tornBytes
        self.tornAt = tornAt
        self.bytes = bytes
    }
}

/// One thing that is wrong in a store.
package struct StoreProblem: Sendable, Hashable, Codable {
    /// The rule that is violated, in one word that never changes: `unreadable`, `index`, `sequence`, `blob`, …
    package var rule: String
    /// The place: a file with an offset, a row, an id.
    package var place: String
    /// The violation; contains no content of a message.
    package var detail: String

    package init(_ rule: String, at place: String, _ detail: String) {
        self.rule = rule
        self.place = place
        self.detail = detail
    }
}

extension StoreReader {
    /// Verifies the files without a report of progress.
    package func verify(_ problem: (StoreProblem) throws(StoreError) -> Void) throws(StoreError) {
        try verify(progress: { _ in }, problem)
    }

    /// Calls `body` for each entry; a problem ends the call.
    package func readAll(_ body: (StoreEntry) throws(StoreError) -> Void) throws(StoreError) {
        try read(body) { problem throws(StoreError) in
            throw .damaged(
                path: problem.place, detail: "\(problem.detail); `causeway store check` lists all problems")
        }
    }
}
