package import CausewayStorage

/// What tests may set.
package struct SQLiteOptions: Sendable {
    package var bounds: OutboxBounds
    /// Pages that the database file may have; SQLite's own limit when `nil`.
    package var pagesMax: Int?
    /// See ``SQLiteLimits``.
    package var logBytesMax: Int
    package var groupBytesMax: Int
    /// Called with the text of every statement that runs, without its arguments.
    package var trace: (@Sendable (String) -> Void)?

    package init(
        bounds: OutboxBounds = OutboxBounds(), pagesMax: Int? = nil, logBytesMax: Int? = nil,
        groupBytesMax: Int? = nil, trace: (@Sendable (String) -> Void)? = nil
    ) {
        self.bounds = bounds
        self.pagesMax = pagesMax
        self.logBytesMax = logBytesMax ?? SQLiteLimits.logBytesMax
        self.groupBytesMax = groupBytesMax ?? SQLiteLimits.groupBytesMax
        self.trace = trace
    }
}
