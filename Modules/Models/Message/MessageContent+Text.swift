extension MessageContent {
    /// The content as JSON text with members sorted by name: the same as ``encode(to:)`` writes, in time linear in its
    /// bytes. `nil` if it contains a number that JSON cannot represent.
    package var jsonText: [UInt8]? { JSONWriter.text(of: json) }

    /// The content as every store returns it, see ``JSONValue/normalized``.
    package var normalized: MessageContent {
        switch self {
        case .custom(let data): .custom(data.normalized)
        case .unknown(let type, let body): .unknown(type: type, body: body.normalized)
        case .text, .image, .video, .audio, .file: self
        }
    }

    private var json: JSONValue {
        var members: [String: JSONValue] = ["v": .integer(Int64(Self.codingVersion)), "type": .string(type.name)]
        switch self {
        case .text(let text): members["text"] = .string(text)
        case .custom(let data): members["data"] = data
        case .image(let attachment, let caption), .video(let attachment, let caption),
            .file(let attachment, let caption):
            members["attachment"] = attachment.json
            members["caption"] = caption.map(JSONValue.string)
        case .audio(let attachment): members["attachment"] = attachment.json
        case .unknown(_, let body): return body
        }
        return .object(members)
    }
}
