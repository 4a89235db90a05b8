#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The tombstone of a message that was deleted after the server had accepted it: everything but its content, its tags
/// and its reactions.
///
/// ``Message/isDeleted`` is true for the message that lists show in its place.
public struct DeletedMessage: Sendable, Hashable, Identifiable {
    public let id: MessageID
    /// The channel in which the message was.
    public let channel: ChannelID
    /// The author of the message.
    public let sender: UserID
    /// The message that it replied to.
    public let parent: MessageID?
    /// The type that its content had.
    public let type: MessageType
    /// The creation time, by the clock of the device that created it.
    public let createdAt: Timestamp
    /// The message's position on the server.
    public let serverPosition: ServerPosition
    /// The time when the server deleted it, by the server's clock; `nil` until the server has reported it.
    public let deletedAt: Timestamp?

    /// Creates a tombstone; without `deletedAt` the time of the deletion is not known yet.
    public init(
        id: MessageID, channel: ChannelID, sender: UserID, parent: MessageID? = nil, type: MessageType,
        createdAt: Timestamp, serverPosition: ServerPosition, deletedAt: Timestamp? = nil
    ) {
        self.id = id
        self.channel = channel
        self.sender = sender
        self.parent = parent
        self.type = type
        self.createdAt = createdAt
        self.serverPosition = serverPosition
        self.deletedAt = deletedAt
    }

    /// The tombstone of a message; `nil` unless the server has it. An edit that the server has not is left out.
    package init?(_ message: Message) {
        guard message.syncState == .synced, let serverPosition = message.serverPosition else { return nil }
        self.init(
            id: message.id, channel: message.channel, sender: message.sender, parent: message.parent,
            type: message.sentContent.type, createdAt: message.createdAt, serverPosition: serverPosition)
    }
}

/// Stored as a record of a kind that only clients have: no server lists it as one.
extension DeletedMessage {
    package static let kind: RecordKind = "deletedMessage"

    /// The deleted messages of a channel, by position.
    package static func list(of channel: ChannelID) -> RecordList {
        RecordList(kind: kind, name: "byChannel", scope: channel.value)
    }

    /// The channel of a stored one; `nil` for a record of another kind.
    package static func channel(of record: StoredRecord) -> ChannelID? {
        record.kind == kind ? record.entries.first.flatMap { ChannelID($0.scope) } : nil
    }

    /// The record, confirmed if the server has reported the time of the deletion.
    package var stored: StoredRecord {
        let list = Self.list(of: channel)
        let entry = ListEntry(list.name, scope: list.scope, key: ListKey(serverPosition.position))
        return StoredRecord(
            kind: Self.kind, id: id.description, version: deletedAt == nil ? 0 : 1, value: Data(fields),
            entries: [entry])
    }

    /// Reads a record; `nil` if it is of another kind, or its fields cannot be read or are those of another record.
    package init?(stored: StoredRecord) {
        guard stored.kind == Self.kind,
            let fields = try? JSONCoding.decode(Fields.self, from: Array(stored.value)),
            fields.id.description == stored.id
        else { return nil }
        self.init(
            id: fields.id, channel: fields.channel, sender: fields.sender, parent: fields.parent,
            type: fields.type.map { MessageType(name: $0) } ?? .text, createdAt: fields.createdAt,
            serverPosition: ServerPosition(position: fields.position, acceptedAt: fields.acceptedAt),
            deletedAt: fields.deletedAt)
    }

    private struct Fields: Decodable {
        var id: MessageID
        var channel: ChannelID
        var sender: UserID
        var parent: MessageID?
        var type: String?
        var createdAt: Timestamp
        var position: Int64
        var acceptedAt: Timestamp
        var deletedAt: Timestamp?
    }

    /// The fields as JSON; the type of a text is left out.
    private var fields: [UInt8] {
        var members: [String: JSONValue] = [
            "id": .string(id.description), "channel": .string(channel.value), "sender": .string(sender.value),
            "createdAt": .integer(createdAt.milliseconds), "position": .integer(serverPosition.position),
            "acceptedAt": .integer(serverPosition.acceptedAt.milliseconds),
        ]
        members["parent"] = parent.map { .string($0.description) }
        if type != .text { members["type"] = .string(type.name) }
        members["deletedAt"] = deletedAt.map { .integer($0.milliseconds) }
        var writer = JSONWriter()
        _ = writer.write(.object(members))
        return writer.bytes
    }
}
