/// The reason why a message, an edit or a reaction cannot be made, or a file cannot be fetched.
public enum ContentProblem: Error, Sendable, Hashable, CustomStringConvertible {
    /// A text message without text.
    case textEmpty
    /// The text is longer than `limit` bytes of UTF-8: the server's limit, at most ``Limits/textBytesMax``.
    case textTooLong(bytes: Int, limit: Int = Limits.textBytesMax)
    /// The JSON of a custom message is not an object.
    case customNotAnObject
    /// The JSON of a custom message is longer than `limit` bytes: the server's limit, at most
    /// ``Limits/customBytesMax``.
    case customTooLong(bytes: Int, limit: Int = Limits.customBytesMax)
    /// The JSON of a custom message is nested deeper than ``Limits/customDepthMax``.
    case customTooDeep
    /// A value of the application could not be coded as JSON.
    case customNotEncodable(detail: String)
    /// Messages of this type cannot be created, or have no file: the type is unknown, or the server or the store has no
    /// files.
    case unsupported(MessageType)
    /// The name of a reaction is empty, too long, or contains control characters.
    case reactionInvalid
    /// The caption is longer than `limit` bytes of UTF-8, ``Limits/captionBytesMax``.
    case captionTooLong(bytes: Int, limit: Int = Limits.captionBytesMax)
    /// The file is larger than the server or the client accepts; `limit` is the smaller of the two, in bytes.
    case fileTooLarge(bytes: Int64, limit: Int64)
    /// The preview is longer than `limit` bytes, ``Limits/previewBytesMax``.
    case previewTooLong(bytes: Int, limit: Int = Limits.previewBytesMax)
    /// A part of an attachment's description is empty, malformed or out of its range.
    case attachmentInvalid(AttachmentPart)
    /// A message was given more tags than it may have.
    case tooManyTags(count: Int, limit: Int = Limits.tagsMax)
    /// A tag is empty, longer than ``Limits/tagBytesMax``, or contains control characters.
    case tagInvalid
    /// The bytes of a file are not of the kind of the message; `found` is their media type.
    case contentTypeDiffers(MessageType, found: String)

    public var description: String {
        switch self {
        case .textEmpty: "the text is empty"
        case .textTooLong(let bytes, let limit): "the text has \(bytes) bytes; at most \(limit) may be sent"
        case .customNotAnObject: "a custom message must be a JSON object"
        case .customTooLong(let bytes, let limit):
            "the custom message has \(bytes) bytes of JSON; at most \(limit) may be sent"
        case .customTooDeep: "the custom message is nested deeper than \(Limits.customDepthMax) levels"
        case .customNotEncodable(let detail): "the custom message cannot be coded as JSON: \(detail)"
        case .reactionInvalid:
            "a reaction is a name of 1 to \(Limits.reactionBytesMax) bytes without control characters"
        case .captionTooLong(let bytes, let limit): "the caption has \(bytes) bytes; at most \(limit) may be sent"
        case .fileTooLarge(let bytes, let limit): "the file has \(bytes) bytes; at most \(limit) may be sent"
        case .previewTooLong(let bytes, let limit): "the preview has \(bytes) bytes; at most \(limit) may be sent"
        case .attachmentInvalid(let part): "the attachment's \(part.rawValue) is invalid"
        case .tooManyTags(let count, let limit): "the message has \(count) tags; at most \(limit) may be sent"
        case .tagInvalid: "a tag is a text of 1 to \(Limits.tagBytesMax) bytes without control characters"
        case .contentTypeDiffers(let type, let found):
            "the content of the file is \(found), not of type \(type.name); send it as a file message"
        case .unsupported(let type): "not supported here for messages of type \(type.name)"
        }
    }
}

extension MessageContent {
    /// Whether `name` is a valid name of a reaction.
    package static func isReactionName(_ name: String) -> Bool {
        (1...Limits.reactionBytesMax).contains(name.utf8.count) && !name.hasControlCharacters
    }

    /// Checks the content against ``Limits``, and against those of a server.
    ///
    /// - Parameters:
    ///   - codedBytes: the size of the coded content; only checked for custom messages.
    ///   - limits: media messages are refused unless these name the size of the largest file.
    package func validate(
        codedBytes: Int, within limits: ContentLimits = ContentLimits()
    ) throws(ContentProblem) {
        switch self {
        case .text(let text):
            if text.isEmpty { throw .textEmpty }
            if text.utf8.count > limits.textBytesMax {
                throw .textTooLong(bytes: text.utf8.count, limit: limits.textBytesMax)
            }
        case .custom(let data):
            guard case .object = data else { throw .customNotAnObject }
            if codedBytes > limits.customBytesMax {
                throw .customTooLong(bytes: codedBytes, limit: limits.customBytesMax)
            }
            if data.depth > Limits.customDepthMax { throw .customTooDeep }
        case .image(let attachment, let caption), .video(let attachment, let caption),
            .file(let attachment, let caption):
            try validate(attachment, caption: caption, within: limits)
        case .audio(let attachment):
            try validate(attachment, caption: nil, within: limits)
        case .unknown:
            throw .unsupported(type)
        }
    }

    private func validate(
        _ attachment: Attachment, caption: String?, within limits: ContentLimits
    ) throws(ContentProblem) {
        guard let fileBytesMax = limits.fileBytesMax else { throw .unsupported(type) }
        if let caption, caption.utf8.count > Limits.captionBytesMax {
            throw .captionTooLong(bytes: caption.utf8.count)
        }
        try attachment.validate(fileBytesMax: fileBytesMax)
    }
}
