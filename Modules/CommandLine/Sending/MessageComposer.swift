package import CausewayControlAPI
package import CausewayModels
package import Foundation

/// Builds messages from typed or piped input.
package struct MessageComposer: Sendable {
    private let channel: ChannelID
    private let isCustom: Bool
    private let parent: MessageID?
    private let tags: [String]?

    /// - Parameters:
    ///   - isCustom: whether the input is JSON instead of text.
    ///   - parent: the message that is replied to.
    ///   - tags: those of each message.
    package init(channel: ChannelID, isCustom: Bool, parent: MessageID? = nil, tags: [String] = []) {
        self.tags = tags.isEmpty ? nil : tags
        self.parent = parent
        self.channel = channel
        self.isCustom = isCustom
    }

    /// The longest input that may become a message.
    package static let inputBytesMax = max(Limits.textBytesMax, Limits.customBytesMax) * 8

    /// Throws ``ControlError/Code/badRequest`` when the input is not UTF-8 or not JSON, and
    /// ``ControlError/Code/messageInvalid`` when it exceeds a limit.
    package func message(_ bytes: Data) throws(ControlError) -> OutgoingMessage {
        let message: OutgoingMessage
        if isCustom {
            let value = try ControlJSON.decode(JSONValue.self, from: bytes, what: "the custom message")
            message = OutgoingMessage(channel: channel, custom: value, parent: parent, tags: tags)
        } else {
            guard let text = String(validating: bytes, as: UTF8.self) else {
                throw ControlError(.badRequest, "the text is not valid UTF-8")
            }
            message = OutgoingMessage(channel: channel, text: text, parent: parent, tags: tags)
        }
        _ = try message.content()
        return message
    }
}
