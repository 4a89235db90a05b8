package import Causeway

/// A message to send, as JSON: `channel`, and either `text` or `custom` (an object); `parent` for a reply.
package struct OutgoingMessage: Sendable, Hashable, Codable {
    package var channel: ChannelID
    package var text: String?
    package var custom: JSONValue?
    package var parent: MessageID?

    package init(channel: ChannelID, text: String, parent: MessageID? = nil) {
        self.channel = channel
        self.text = text
        self.parent = parent
    }

    package init(channel: ChannelID, custom: JSONValue, parent: MessageID? = nil) {
        self.channel = channel
        self.custom = custom
        self.parent = parent
    }

    /// The content, checked against the limits.
    ///
    /// Throws ``ControlError/Code/badRequest`` unless it is exactly one of both, and
    /// ``ControlError/Code/messageInvalid`` when it exceeds a limit.
    func content() throws(ControlError) -> MessageContent {
        let content: MessageContent
        var codedBytes = 0
        switch (text, custom) {
        case (let text?, nil): content = .text(text)
        case (nil, let custom?):
            content = .custom(custom)
            codedBytes = content.jsonText?.count ?? .max
        default: throw ControlError(.badRequest, "a message needs either `text` or `custom`")
        }
        do throws(ContentProblem) {
            try content.validate(codedBytes: codedBytes)
        } catch {
            throw ControlError(.messageInvalid, error.description)
        }
        return content
    }
}
