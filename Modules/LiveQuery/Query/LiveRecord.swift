public import CausewayModels
public import CausewayStorage

/// A value that live objects and live collections can observe, with an identity of its own.
///
/// The identity relates two values as two states of one record: a message keeps it from its creation through its
/// delivery, so its progress is reported as modifications, never as a removal and an insertion of another record.
public protocol LiveRecord: Sendable, Identifiable, Equatable where ID: Sendable {
    /// The change of a record of this kind in a change of the store's feed; `nil` if it concerns another kind.
    ///
    /// `before` may be `nil` if the feed does not report it; the displayed record is found by its identity.
    static func change(in change: RecordChange) -> LiveRecordChange<Self>?
}

/// One record before and after a commit: `before` is `nil` for an insertion, `after` for a deletion.
public struct LiveRecordChange<Record: LiveRecord>: Sendable {
    public var before: Record?
    public var after: Record?

    public init(before: Record?, after: Record?) {
        self.before = before
        self.after = after
    }
}

extension Message: LiveRecord {
    public static func change(in change: RecordChange) -> LiveRecordChange<Message>? {
        guard case .message(let before, let after, _) = change else { return nil }
        return LiveRecordChange(before: before, after: after)
    }
}

extension DeleteAction: LiveRecord {
    /// The number of the action: ``sequence``.
    public var id: Int64 { sequence }

    public static func change(in change: RecordChange) -> LiveRecordChange<DeleteAction>? {
        guard case .deleteAction(let action) = change else { return nil }
        return LiveRecordChange(before: nil, after: action)
    }
}

extension Session: LiveRecord {
    public static func change(in change: RecordChange) -> LiveRecordChange<Session>? {
        guard case .session(let session) = change else { return nil }
        return LiveRecordChange(before: nil, after: session)
    }
}
