/// The reason why a message cannot be created.
public enum ContentProblem: Error, Sendable, Hashable, CustomStringConvertible {
    case textEmpty
    case textTooLong(bytes: Int, limit: Int = Limits.textBytesMax)
    case customNotAnObject
    case customTooLong(bytes: Int, limit: Int = Limits.customBytesMax)
    case customTooDeep
    case unsupported(MessageType)
    /// The name of a reaction is empty, too long, or contains control characters.
    case reactionInvalid

    public var description: String {
        switch self {
        case .textEmpty: "the text is empty"
        case .textTooLong(let bytes, let limit): "the text has \(bytes) bytes; at most \(limit) may be sent"
        case .customNotAnObject: "a custom message must be a JSON object"
        case .customTooLong(let bytes, let limit):
            "the custom message has \(bytes) bytes of JSON; at most \(limit) may be sent"
        case .customTooDeep: "the custom message is nested deeper than \(Limits.customDepthMax) levels"
        case .reactionInvalid:
            "a reaction is a name of 1 to \(Limits.reactionBytesMax) bytes without control characters"
        case .unsupported(let type): "messages of type \(type.name) cannot be created yet"
        }
    }
}

extension MessageContent {
    /// Whether `name` is a valid name of a reaction.
    package static func isReactionName(_ name: String) -> Bool {
        (1...Limits.reactionBytesMax).contains(name.utf8.count)
            && name.unicodeScalars.allSatisfy { $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value) }
    }

    /// Checks the content against ``Limits``, and against those of a server.
    ///
    /// - Parameter codedBytes: the size of the coded content; only checked for custom messages.
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
        case .image, .video, .audio, .file, .unknown:
            throw .unsupported(type)
        }
    }
}
