package import CausewayModels

/// One operation of a lane.
///
/// `send` carries channel, content, createdAt, the parent of a reply, and the tags if there are any. `edit` carries
/// target and content, `addReaction` and `removeReaction` carry target and reaction; their `id` is their own, and
/// identifies repeats. `write` carries a record; its `id` is its own, too. `fence` and `delete` carry only an id.
package struct WireOperation: Sendable, Hashable, Codable {
    package enum Kind: String, Sendable, Hashable, Codable {
        case send, fence, delete, edit, addReaction, removeReaction, write
    }

    package var kind: Kind
    package var sequence: Int64
    package var previous: Int64
    package var id: MessageID
    package var channel: ChannelID?
    package var content: MessageContent?
    package var createdAt: Timestamp?
    package var parent: MessageID?
    /// Absent if there are none. A hub that does not know them ignores them.
    package var tags: [String]?
    package var target: MessageID?
    package var reaction: String?
    package var record: WireRecordWrite?

    package init(
        kind: Kind, sequence: Int64, previous: Int64, id: MessageID, channel: ChannelID? = nil,
        content: MessageContent? = nil, createdAt: Timestamp? = nil, parent: MessageID? = nil, tags: [String]? = nil,
        target: MessageID? = nil, reaction: String? = nil, record: WireRecordWrite? = nil
    ) {
        self.kind = kind
        self.sequence = sequence
        self.previous = previous
        self.id = id
        self.channel = channel
        self.content = content
        self.createdAt = createdAt
        self.parent = parent
        self.tags = tags
        self.target = target
        self.reaction = reaction
        self.record = record
    }
}
