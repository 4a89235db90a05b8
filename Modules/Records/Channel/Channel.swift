public import CausewayModels

/// A channel: the messages of its members, in one order.
///
/// The server maintains the counts, the last activity and the last position in the commit that changes them.
public struct Channel: Record {
    /// The kind `channel`.
    public static let kind: RecordKind = "channel"

    public let id: ChannelID
    /// The name for display, 1 to ``Limits/channelNameBytesMax`` bytes; the id unless it was set.
    public var name: String
    /// A JSON object of the application's own, at most ``Limits/channelMetadataBytesMax`` bytes.
    public var metadata: JSONValue
    /// Whether every account of the server can find the channel and join it.
    public var isPublic: Bool
    /// The account that created it; `nil` if the server's operator did.
    public var createdBy: UserID?
    /// The time when the server created it, by the server's clock.
    public var createdAt: Timestamp
    /// The time when the newest message was accepted, deleted ones included; the time of its creation before the first.
    public var lastActivityAt: Timestamp
    /// The messages that are not deleted.
    public var messageCount: Int64
    /// The members.
    public var memberCount: Int64
    /// The position of the newest message, deleted ones included; 0 before the first.
    public var lastPosition: Int64
    public var version: Int64 = 0

    private enum CodingKeys: String, CodingKey {
        case id, name, metadata, isPublic, createdBy, createdAt, lastActivityAt, messageCount, memberCount, lastPosition
    }

    /// A new channel without messages and members.
    public init(
        id: ChannelID, name: String? = nil, metadata: JSONValue = .object([:]), isPublic: Bool = true,
        createdBy: UserID?, createdAt: Timestamp
    ) {
        self.id = id
        self.name = name ?? id.value
        self.metadata = metadata
        self.isPublic = isPublic
        self.createdBy = createdBy
        self.createdAt = createdAt
        lastActivityAt = createdAt
        messageCount = 0
        memberCount = 0
        lastPosition = 0
    }

    /// Counts and positions from outside are clamped to their ranges.
    public init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        id = try fields.decode(ChannelID.self, forKey: .id)
        name = try fields.decode(String.self, forKey: .name)
        metadata = try fields.decode(JSONValue.self, forKey: .metadata)
        isPublic = try fields.decode(Bool.self, forKey: .isPublic)
        createdBy = try fields.decodeIfPresent(UserID.self, forKey: .createdBy)
        createdAt = try fields.decode(Timestamp.self, forKey: .createdAt)
        lastActivityAt = try fields.decode(Timestamp.self, forKey: .lastActivityAt)
        func number(_ key: CodingKeys) throws -> Int64 {
            min(max(try fields.decode(Int64.self, forKey: key), 0), Limits.positionMax)
        }
        messageCount = try number(.messageCount)
        memberCount = try number(.memberCount)
        lastPosition = try number(.lastPosition)
    }
}

// MARK: - Lists

extension Channel {
    /// All channels, by id. A server serves it to nobody but its operator.
    public static let all = RecordList(kind: kind, name: "all")

    /// The channels that every account can find and join, by name.
    public static let openToAll = RecordList(kind: kind, name: "public")

    /// The channels that an account created, by the time of their creation.
    public static func created(by user: UserID) -> RecordList {
        RecordList(kind: kind, name: "byCreator", scope: user.value)
    }

    public var entries: [ListEntry] {
        var entries = [ListEntry(Self.all.name, key: ListKey(id.value))]
        if isPublic { entries.append(ListEntry(Self.openToAll.name, key: ListKey(name))) }
        if let createdBy {
            let list = Self.created(by: createdBy)
            entries.append(ListEntry(list.name, scope: list.scope, key: ListKey(createdAt)))
        }
        return entries
    }
}

extension Channel {
    public static func problem(with write: RecordWrite) -> RecordProblem? {
        do throws(RecordProblem) {
            _ = try ChannelAction(write)
            return nil
        } catch {
            return error
        }
    }
}
