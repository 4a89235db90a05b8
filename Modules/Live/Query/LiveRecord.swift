public import CausewayModels
public import CausewayStorage

/// What a live object or a live collection can watch: a value with an identity of its own.
///
/// The identity is what makes two values two states of one thing: a message keeps it from its creation through its
/// delivery, so its way is told as modifications, never as a removal and an insertion of somebody else.
public protocol LiveRecord: Sendable, Identifiable, Equatable where ID: Sendable {
    /// What a change in the store's feed says about records of this kind; `nil` when it is about something else.
    ///
    /// `before` may be `nil` where the feed does not tell it; what is shown is found by its identity.
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
    /// The place of the action among all: ``sequence``.
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
