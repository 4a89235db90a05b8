package import CausewayStorage
package import CausewaySystem

/// Options that only tests set.
package struct SQLiteOptions: Sendable {
    package var bounds: OutboxBounds
    /// The maximum number of pages of the database file; `nil` for SQLite's own limit.
    package var pagesMax: Int?
    /// See ``SQLiteLimits``.
    package var logBytesMax: Int
    package var groupBytesMax: Int
    /// The largest database that gets checksums when it is opened; see ``SQLiteLimits/openCheckBytesMax``.
    package var checksumsAddedBytesMax: Int64
    /// Called with the text of every statement that runs, without its arguments.
    package var trace: (@Sendable (String) -> Void)?
    /// Called before each system call for the note in ``LogEnd``.
    package var traceLogEnd: (@Sendable (LogEndAccess) -> Void)?
    /// Called before each change of a name that is not SQLite's own; the change fails with the error that it returns.
    package var beforeFolderAccess: (@Sendable (FolderAccess) -> SystemError?)?

    package init(
        bounds: OutboxBounds = OutboxBounds(), pagesMax: Int? = nil, logBytesMax: Int? = nil,
        groupBytesMax: Int? = nil, checksumsAddedBytesMax: Int64? = nil,
        trace: (@Sendable (String) -> Void)? = nil,
        traceLogEnd: (@Sendable (LogEndAccess) -> Void)? = nil,
        beforeFolderAccess: (@Sendable (FolderAccess) -> SystemError?)? = nil
    ) {
        self.bounds = bounds
        self.pagesMax = pagesMax
        self.logBytesMax = logBytesMax ?? SQLiteLimits.logBytesMax
        self.groupBytesMax = groupBytesMax ?? SQLiteLimits.groupBytesMax
        self.checksumsAddedBytesMax = checksumsAddedBytesMax ?? SQLiteLimits.openCheckBytesMax
        self.trace = trace
        self.traceLogEnd = traceLogEnd
        self.beforeFolderAccess = beforeFolderAccess
    }
}

/// A system call for the note in ``LogEnd``.
package enum LogEndAccess: Sendable { case readsLog, syncsNote }

/// A change of a name in the folder of a store, with the paths.
package enum FolderAccess: Sendable {
    case rename(String, to: String)
    case sync(String)
}
