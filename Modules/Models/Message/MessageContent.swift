/// The content of a message: text, media, or JSON of the application.
public enum MessageContent: Sendable, Hashable {
    /// Text of 1 to ``Limits/textBytesMax`` bytes of UTF-8.
    case text(String)
    /// Any JSON object defined by the application.
    case custom(JSONValue)
    /// A picture, with a caption of at most ``Limits/captionBytesMax`` bytes.
    case image(Attachment, caption: String?)
    /// A video, with a caption of at most ``Limits/captionBytesMax`` bytes.
    case video(Attachment, caption: String?)
    /// Audio; it has no caption.
    case audio(Attachment)
    /// A file of any media type, with a caption of at most ``Limits/captionBytesMax`` bytes.
    case file(Attachment, caption: String?)
    /// A kind or version that this build does not know, kept unchanged.
    case unknown(type: String, body: JSONValue)

    /// The kind of the content; an unknown one has the name under which it arrived.
    public var type: MessageType {
        switch self {
        case .text: .text
        case .custom: .custom
        case .image: .image
        case .video: .video
        case .audio: .audio
        case .file: .file
        case .unknown(let type, _): MessageType(name: type)
        }
    }

    /// The description of the file of a media message; `nil` for other messages.
    public var attachment: Attachment? {
        switch self {
        case .image(let attachment, _), .video(let attachment, _), .file(let attachment, _), .audio(let attachment):
            attachment
        case .text, .custom, .unknown: nil
        }
    }
}

extension MessageContent {
    /// The version of the layout that ``encode(to:)`` writes. A newer layout gets a newer number; readers of the old
    /// one keep unknown content as ``unknown(type:body:)``.
    public static let codingVersion = 1
}

/// Coded as one object with the keys `v` (version), `type`, and the keys of that type: `text`, `data`, or `attachment`
/// and `caption`.
extension MessageContent: Codable {
    private enum Key: String, CodingKey {
        case version = "v"
        case type, text, data, attachment, caption
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        let version = try container.decode(Int.self, forKey: .version)
        let name = try container.decode(String.self, forKey: .type)
        guard version == Self.codingVersion else {
            self = .unknown(type: name, body: try JSONValue(from: decoder))
            return
        }
        switch MessageType(name: name) {
        case .text:
            self = .text(try container.decode(String.self, forKey: .text))
        case .custom:
            self = .custom(try container.decode(JSONValue.self, forKey: .data))
        case .image:
            self = .image(try Self.attachment(container), caption: try Self.caption(container))
        case .video:
            self = .video(try Self.attachment(container), caption: try Self.caption(container))
        case .audio:
            self = .audio(try Self.attachment(container))
        case .file:
            self = .file(try Self.attachment(container), caption: try Self.caption(container))
        case .unknown:
            self = .unknown(type: name, body: try JSONValue(from: decoder))
        }
    }

    public func encode(to encoder: any Encoder) throws {
        if case .unknown(_, let body) = self {
            try body.encode(to: encoder)
            return
        }
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(Self.codingVersion, forKey: .version)
        try container.encode(type.name, forKey: .type)
        switch self {
        case .text(let text):
            try container.encode(text, forKey: .text)
        case .custom(let data):
            try container.encode(data, forKey: .data)
        case .image(let attachment, let caption), .video(let attachment, let caption),
            .file(let attachment, let caption):
            try container.encode(attachment, forKey: .attachment)
            try container.encodeIfPresent(caption, forKey: .caption)
        case .audio(let attachment):
            try container.encode(attachment, forKey: .attachment)
        case .unknown:
            break
        }
    }

    private static func attachment(_ container: KeyedDecodingContainer<Key>) throws -> Attachment {
        try container.decode(Attachment.self, forKey: .attachment)
    }

    private static func caption(_ container: KeyedDecodingContainer<Key>) throws -> String? {
        try container.decodeIfPresent(String.self, forKey: .caption)
    }
}
