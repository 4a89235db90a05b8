package import Causeway
import Foundation

/// A message to send, as JSON: `channel`, and either `text` or `custom` (an object).
package struct NewMessage: Sendable, Hashable, Codable {
    package var channel: ChannelID
    package var text: String?
    package var custom: JSONValue?

    package init(channel: ChannelID, text: String) {
        self.channel = channel
        self.text = text
    }

    package init(channel: ChannelID, custom: JSONValue) {
        self.channel = channel
        self.custom = custom
    }

    /// What it says, held against the limits.
    ///
    /// Throws ``ControlError/Code/badRequest`` when it is not exactly one of both, and
    /// ``ControlError/Code/messageInvalid`` when it breaks a limit.
    func content() throws(ControlError) -> MessageContent {
        let content: MessageContent
        var codedBytes = 0
        switch (text, custom) {
        case (let text?, nil): content = .text(text)
        case (nil, let custom?):
            content = .custom(custom)
            codedBytes = (try? JSONEncoder().encode(content).count) ?? .max
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
