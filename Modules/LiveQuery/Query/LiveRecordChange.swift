public import CausewayModels
import CausewayRecords
import CausewayStorage

/// One record before and after a commit: `before` is `nil` for an insertion, `after` for a deletion.
///
/// `before` may also be `nil` if the feed does not report it; the displayed record is found by its identity.
public struct LiveRecordChange<Record: LiveRecord>: Sendable {
    /// The state before the commit; `nil` for a new record.
    public var before: Record?
    /// The state after the commit; `nil` for a removed record.
    public var after: Record?

    /// Creates a change; at least one of the two states should be present.
    public init(before: Record?, after: Record?) {
        self.before = before
        self.after = after
    }
}

extension LiveRecordChange where Record: CausewayRecords.Record {
    /// The change of a record of this kind; `nil` for another kind. A state that cannot be read counts as none.
    init?(_ change: RecordChange) {
        guard case .record(let before, let after) = change, (after ?? before)?.kind == Record.kind else { return nil }
        self.init(before: before.flatMap(Record.init(stored:)), after: after.flatMap(Record.init(stored:)))
    }
}
