import CausewayModels
import CausewayTransport
import CausewayWire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension WireEvents {
    /// The cursor; `nil` if it is malformed.
    var eventCursor: EventCursor? { WireChanges.isCursor(cursor) ? EventCursor(rawValue: cursor) : nil }

    /// The part as a batch; `nil` if an event is invalid, or a record occurs twice in a topic. Events of kinds whose
    /// names cannot be read are left out.
    func batch(cursor: EventCursor, history: ServerHistory?) -> EventBatch? {
        var seen: Set<[String]> = []
        var events: [RemoteEvent] = []
        for event in self.events {
            // A membership belongs to its channel and to its account.
            guard seen.insert([event.topic, event.kind, event.id]).inserted,
                (0...Limits.sequenceMax).contains(event.version)
            else { return nil }
            guard event.kind == WireEvents.messageKind || RecordKind(event.kind) != nil else { continue }
            guard let change = event.change else { return nil }
            events.append(
                RemoteEvent(
                    topic: EventTopic(event.topic), version: event.version, change: change,
                    deleted: event.deletedMessage(change)))
        }
        return EventBatch(
            events: events, limited: limited.map(EventTopic.init), cursor: cursor, isUpToDate: isUpToDate,
            history: history)
    }
}

extension WireEvent {
    /// `nil` if the event does not follow the protocol.
    fileprivate var change: RemoteEvent.Change? { kind == WireEvents.messageKind ? messageChange : recordChange }

    /// The tombstone; `nil` if it does not fit the event.
    fileprivate func deletedMessage(_ change: RemoteEvent.Change) -> DeletedMessage? {
        guard case .messageDeleted(let id) = change, let message = deleted?.placed, message.id == id,
            EventTopic(topic) == .channel(message.channel)
        else { return nil }
        return message
    }

    private var messageChange: RemoteEvent.Change? {
        guard let id = MessageID(id) else { return nil }
        guard let value else { return .messageDeleted(id) }
        guard let wire = try? JSONCoding.decode(WireMessage.self, from: value), wire.id == id,
            let message = wire.placed
        else { return nil }
        if case .channel(let channel) = EventTopic(topic), channel != message.channel { return nil }
        return .message(message)
    }

    private var recordChange: RemoteEvent.Change? {
        guard let kind = RecordKind(kind), (1...Limits.recordIDBytesMax).contains(id.utf8.count) else { return nil }
        guard let value else { return .recordDeleted(kind, id) }
        guard let text = JSONWriter.text(of: value) else { return nil }
        let record = RemoteRecord(kind: kind, id: id, version: version, value: Data(text))
        return record.isInRange ? .record(record) : nil
    }
}

extension EventTopic {
    /// The topic as the hub writes it.
    fileprivate init(_ text: String) {
        let prefix = "channel:"
        if text == WireEvents.accountTopic {
            self = .account
        } else if text.hasPrefix(prefix), let channel = ChannelID(String(text.dropFirst(prefix.count))) {
            self = .channel(channel)
        } else {
            self = .unknown(text)
        }
    }
}
