public import CausewayModels

/// A position in a server's log of changes.
///
/// Opaque text, valid on every instance of the server that shares its data; no clock and no connection in it. Never
/// compared or parsed by a client. At most ``bytesMax`` bytes.
public struct EventCursor: Sendable, Hashable, Codable, RawRepresentable {
    /// The length of the longest valid cursor.
    public static let bytesMax = 512

    public let rawValue: String

    /// `nil` if the text is empty or longer than ``bytesMax``.
    public init?(rawValue: String) {
        guard (1...Self.bytesMax).contains(rawValue.utf8.count) else { return nil }
        self.rawValue = rawValue
    }
}

/// One part of the log, as a stream delivers it.
public enum EventPart: Sendable, Hashable {
    /// The next events.
    case batch(EventBatch)
    /// The cursor belongs to another log, or to a part that the server no longer keeps: state must be read anew, and
    /// events from this cursor.
    case reset(EventCursor)
}

/// Consecutive events, bounded by the number of records that changed, not by the number of changes.
public struct EventBatch: Sendable, Hashable {
    /// In the order of the log. Each record at most once, in its newest state.
    public var events: [RemoteEvent]
    /// Topics that changed too much to be listed: the reader discards its complete range of them and reads their newest
    /// page, and the rest on demand.
    public var limited: [EventTopic]
    /// The position after this batch; stored together with it.
    public var cursor: EventCursor
    /// True if the reader has everything that the server had when it sent this batch. A batch may be empty except for
    /// this: it ends the phase of catching up.
    public var isUpToDate: Bool

    public init(events: [RemoteEvent], limited: [EventTopic] = [], cursor: EventCursor, isUpToDate: Bool) {
        self.events = events
        self.limited = limited
        self.cursor = cursor
        self.isUpToDate = isUpToDate
    }
}

/// The scope of an event, which also decides who may read it.
public enum EventTopic: Sendable, Hashable {
    /// A channel: its record, messages, reactions and members.
    case channel(ChannelID)
    /// The account itself: read markers, memberships, settings.
    case account
    /// A topic of a kind that this build does not know; its events are kept or skipped, never an error.
    case unknown(String)
}

/// The change of one record.
public struct RemoteEvent: Sendable, Hashable {
    /// The newest state of the record.
    public enum State: Sendable, Hashable {
        /// The record in the coding of its kind.
        case present(JSONValue)
        /// The record was deleted, or the account can no longer read it.
        case deleted
    }

    public var topic: EventTopic
    /// The name of the record's kind, `message`.
    public var kind: String
    /// The record's id; opaque text.
    public var record: String
    /// The record's version on the server; grows with every change.
    public var version: Int64
    public var state: State

    public init(topic: EventTopic, kind: String, record: String, version: Int64, state: State) {
        self.topic = topic
        self.kind = kind
        self.record = record
        self.version = version
        self.state = state
    }
}
