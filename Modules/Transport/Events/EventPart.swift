public import CausewayModels

/// A position from which a reader can follow a server's log.
public struct EventStart: Sendable, Hashable {
    /// The cursor from which events are read.
    public var cursor: EventCursor
    /// The history that the position belongs to; `nil` from a server without histories.
    public var history: ServerHistory?

    /// Creates a start; without a history, that of a server without histories.
    public init(cursor: EventCursor, history: ServerHistory? = nil) {
        self.cursor = cursor
        self.history = history
    }
}

/// One part of the log, as a stream delivers it.
public enum EventPart: Sendable, Hashable {
    /// The next events.
    case batch(EventBatch)
    /// The cursor belongs to another log, or to a part that the server no longer keeps: state must be read anew, and
    /// events from here.
    case reset(EventStart)
}

/// Consecutive events, bounded by the number of records that changed, not by the number of changes.
public struct EventBatch: Sendable, Hashable {
    /// In the order of the log. Each record at most once in each topic, in its newest state.
    public var events: [RemoteEvent]
    /// Topics that changed too much to be listed: the reader discards its complete range of them and reads their newest
    /// page, and the rest on demand.
    public var limited: [EventTopic]
    /// The position after this batch; stored together with it.
    public var cursor: EventCursor
    /// True if the reader has everything that the server had when it sent this batch. A batch may be empty except for
    /// this: it ends the phase of catching up, and later is a sign of life.
    public var isUpToDate: Bool
    /// The history that the batch belongs to; `nil` from a server without histories.
    public var history: ServerHistory?
    /// The changes of ephemeral events, only in a batch that is up to date; `nil` if there are none, or the server has
    /// no such events.
    public var ephemeral: EphemeralUpdate?

    /// Creates a batch; by default one without limited topics, ephemeral events and history.
    public init(
        events: [RemoteEvent], limited: [EventTopic] = [], cursor: EventCursor, isUpToDate: Bool,
        history: ServerHistory? = nil, ephemeral: EphemeralUpdate? = nil
    ) {
        self.events = events
        self.limited = limited
        self.cursor = cursor
        self.isUpToDate = isUpToDate
        self.history = history
        self.ephemeral = ephemeral
    }
}

/// The scope of an event, which also decides who may read it.
public enum EventTopic: Sendable, Hashable {
    /// A channel: its record, messages, reactions and members. Read by its members.
    case channel(ChannelID)
    /// The account itself: its memberships, read markers and settings.
    case account
    /// A topic of a kind that this build does not know.
    case unknown(String)
}

/// The change of one record.
public struct RemoteEvent: Sendable, Hashable {
    /// The newest state of the record.
    public enum Change: Sendable, Hashable {
        /// The message, with the reactions of the reading account.
        case message(RemoteMessage)
        /// The message was deleted; it never reappears.
        case messageDeleted(MessageID)
        /// The record in its newest state, of any kind other than messages.
        case record(RemoteRecord)
        /// The record was deleted, or the account can no longer read it.
        case recordDeleted(RecordKind, String)
    }

    /// The topic in which the record changed.
    public var topic: EventTopic
    /// The record's version on the server; grows with every change, within one history.
    public var version: Int64
    /// The newest state of the record; earlier changes may have been skipped.
    public var change: Change
    /// The tombstone of a message that was deleted; `nil` if the server does not report it.
    public var deleted: DeletedMessage?

    /// Creates an event; only that of a deleted message can have a tombstone.
    public init(topic: EventTopic, version: Int64, change: Change, deleted: DeletedMessage? = nil) {
        self.deleted = deleted
        self.topic = topic
        self.version = version
        self.change = change
    }
}
