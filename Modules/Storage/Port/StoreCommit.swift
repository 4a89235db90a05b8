public import CausewayModels

/// The changes of one commit.
public struct StoreCommit: Sendable, Equatable {
    /// Incremented by each commit of this run.
    public var version: Int64
    /// In the order in which they were made.
    public var changes: [RecordChange]
    /// True if more changed than is listed (for example when a session ended): subscribers must read their data again.
    public var isReset: Bool

    public init(version: Int64, changes: [RecordChange], isReset: Bool = false) {
        self.version = version
        self.changes = changes
        self.isReset = isReset
    }
}

/// One record before and after a commit.
public enum RecordChange: Sendable, Equatable {
    /// `before` is `nil` for an insertion, `after` for a deletion. `bytes` is the size of the coded content.
    case message(before: Message?, after: Message?, bytes: Int)
    case marker(before: ChainMarker?, after: ChainMarker?)
    case deleteAction(DeleteAction)
    case session(Session)
}
