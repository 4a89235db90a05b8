extension MessageContent {
    /// The text of a text message; `nil` for any other.
    public var text: String? {
        if case .text(let text) = self { text } else { nil }
    }

    /// The caption of a media message; `nil` if it has none, and for any other message.
    public var caption: String? {
        switch self {
        case .image(_, let caption), .video(_, let caption), .file(_, let caption): caption
        case .text, .custom, .audio, .unknown: nil
        }
    }

    /// The data of a custom message; `nil` for any other.
    public var data: JSONValue? {
        if case .custom(let data) = self { data } else { nil }
    }
}

extension Message {
    /// The displayed text of a text message; `nil` for any other.
    public var text: String? { content.text }

    /// The displayed caption of a media message; `nil` if it has none, and for any other message.
    public var caption: String? { content.caption }

    /// The displayed data of a custom message; `nil` for any other.
    public var data: JSONValue? { content.data }

    /// The description of the file of a media message; `nil` for any other.
    public var attachment: Attachment? { content.attachment }
}
