package import CausewayModels

/// `GET /v1/events?cursor=CURSOR&wait=SECONDS&limit=N&topics=TOPIC,TOPIC`: the next part of the hub's log, as the
/// account may read it.
///
/// Without `cursor` the response is empty and names the end of the log. With it, a request waits up to `wait` seconds
/// (0 unless given, at most ``WireProtocol/eventsWaitMax``) for something new; an empty response means that there was
/// nothing. `topics` names the topics to read, at most ``WireProtocol/eventTopicsMax``: `channel:CHANNEL` or `account`;
/// all that the account may read unless given. The same parts come as server-sent events if the request accepts
/// `text/event-stream`: one `WireEvents` in each `data`, its cursor as `id`, which a repeated request names in
/// `Last-Event-ID`. A stream ends after a reset.
package struct WireEvents: Sendable, Hashable, Codable {
    /// The text of the topic of the account's own records.
    package static let accountTopic = "account"
    /// The kind of a message.
    package static let messageKind = "message"

    /// In the order of the log. Each record at most once, in its newest state.
    package var events: [WireEvent]
    /// The texts of topics that changed too much to be listed: pages must be read.
    package var limited: [String]
    /// The position after this part: text that needs no escaping (``WireChanges/isCursor(_:)``).
    package var cursor: String
    /// True if the reader has everything that the hub had when it responded.
    package var isUpToDate: Bool
    /// True if the requested cursor belongs to another log, or to a part that the hub no longer keeps: state must be
    /// read anew, and events from `cursor`. Everything else is empty then.
    package var isReset: Bool
    /// Only if the request names what it has seen, and the part is up to date.
    package var ephemeral: WireEphemeral?

    package init(
        events: [WireEvent], limited: [String] = [], cursor: String, isUpToDate: Bool, isReset: Bool = false
    ) {
        self.events = events
        self.limited = limited
        self.cursor = cursor
        self.isUpToDate = isUpToDate
        self.isReset = isReset
    }
}

/// The change of one record.
package struct WireEvent: Sendable, Hashable, Codable {
    /// `channel:CHANNEL`, or `account` for the account's own records; a reader skips others.
    package var topic: String
    /// `message`, or the kind of another record.
    package var kind: String
    package var id: String
    /// Grows with every change of the record, within one history of the hub.
    package var version: Int64
    /// A `WireMessage`, or the fields of another record. Absent if the record was deleted, or the account can no longer
    /// read it.
    package var value: JSONValue?
    /// The tombstone of a deleted message. Absent from hubs that do not report it.
    package var deleted: WireDeletedMessage?

    package init(
        topic: String, kind: String, id: String, version: Int64, value: JSONValue?, deleted: WireDeletedMessage? = nil
    ) {
        self.deleted = deleted
        self.topic = topic
        self.kind = kind
        self.id = id
        self.version = version
        self.value = value
    }
}
