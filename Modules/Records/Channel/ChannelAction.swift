public import CausewayModels

/// The settings of a channel that its members can change; `nil` leaves one unchanged.
public struct ChannelSettings: Sendable, Hashable {
    /// 1 to ``Limits/channelNameBytesMax`` bytes, no control characters.
    public var name: String?
    /// A JSON object, at most ``Limits/channelMetadataBytesMax`` bytes and ``Limits/channelMetadataDepthMax`` levels.
    public var metadata: JSONValue?
    /// Whether every account can find the channel and join it; `nil` leaves that unchanged.
    public var isPublic: Bool?

    /// Creates settings; by default they leave everything unchanged.
    public init(name: String? = nil, metadata: JSONValue? = nil, isPublic: Bool? = nil) {
        self.name = name
        self.metadata = metadata
        self.isPublic = isPublic
    }
}

/// The writes to a channel.
package enum ChannelAction: Sendable, Hashable {
    /// The account becomes the owner. A channel without settings is public and named after its id.
    case create(ChannelID, ChannelSettings)
    case update(ChannelID, ChannelSettings)
}

extension ChannelAction {
    /// The write that carries the action.
    package var write: RecordWrite {
        switch self {
        case .create(let id, let settings):
            RecordWrite(kind: Channel.kind, record: id.value, action: "create", arguments: settings.arguments)
        case .update(let id, let settings):
            RecordWrite(kind: Channel.kind, record: id.value, action: "update", arguments: settings.arguments)
        }
    }

    /// - Throws: a write that is not one of these, or has invalid arguments.
    package init(_ write: RecordWrite) throws(RecordProblem) {
        guard let id = ChannelID(write.record) else { throw .id(write) }
        switch write.action {
        case "create": self = .create(id, try ChannelSettings(write.arguments))
        case "update":
            let settings = try ChannelSettings(write.arguments)
            guard settings != ChannelSettings() else { throw .arguments("an update needs a setting to change") }
            self = .update(id, settings)
        default: throw .action(write)
        }
    }
}

extension ChannelSettings {
    fileprivate var arguments: JSONValue {
        var members: [String: JSONValue] = [:]
        if let name { members["name"] = .string(name) }
        if let metadata { members["metadata"] = metadata }
        if let isPublic { members["isPublic"] = .bool(isPublic) }
        return members.isEmpty ? .null : .object(members)
    }

    /// Unknown members are ignored: a newer client may send them.
    fileprivate init(_ arguments: JSONValue) throws(RecordProblem) {
        self.init()
        guard arguments != .null else { return }
        guard case .object(let members) = arguments else { throw .arguments("the arguments must be an object") }
        if let value = members["name"] {
            guard let name = value.string, Self.isName(name) else {
                throw .arguments(
                    "name: must have 1 to \(Limits.channelNameBytesMax) bytes, no control characters")
            }
            self.name = name
        }
        if let value = members["metadata"] {
            guard Self.isMetadata(value) else {
                throw .arguments(
                    "metadata: must be an object of at most \(Limits.channelMetadataBytesMax) bytes and "
                        + "\(Limits.channelMetadataDepthMax) levels")
            }
            metadata = value
        }
        if let value = members["isPublic"] {
            guard case .bool(let flag) = value else { throw .arguments("isPublic: must be true or false") }
            isPublic = flag
        }
    }

    private static func isName(_ text: String) -> Bool {
        (1...Limits.channelNameBytesMax).contains(text.utf8.count)
            && text.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
    }

    private static func isMetadata(_ value: JSONValue) -> Bool {
        guard case .object = value, value.depth <= Limits.channelMetadataDepthMax,
            let text = JSONWriter.text(of: value)
        else { return false }
        return text.count <= Limits.channelMetadataBytesMax
    }
}
