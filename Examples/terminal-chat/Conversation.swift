import Causeway
import CausewayTerminal

/// One channel on the screen: its messages, and the user's position in them.
@MainActor
final class Conversation {
    let channel: ChannelID
    let messages: LiveCollection<Message>
    /// The others who are typing.
    let typing: ChannelUsers
    /// The number of newest messages below the visible part.
    var offset = 0

    init(_ channel: ChannelID, _ client: CausewayClient) {
        self.channel = channel
        messages = client.messages.getMessages(in: channel, pageSize: 100)
        typing = client.typing(in: channel)
    }

    /// Scrolls back; requests an older page at the start of the window.
    func lookBack(by rows: Int) {
        offset = min(offset + rows, max(0, messages.count - 1))
        if offset + rows >= messages.count { messages.previousPage() }
    }

    /// The visible part of the conversation, the newest message at the bottom.
    func lines(rows: Int, columns: Int) -> [TerminalLine] {
        let end = max(0, messages.count - offset)
        let seen = messages.snapshots[max(0, end - rows)..<end].map { line($0).fitted(to: columns) }
        return Array(repeating: TerminalLine(), count: rows - seen.count) + seen
    }

    private func line(_ message: Message) -> TerminalLine {
        var line = TerminalLine(" \(mark(message)) ", style(message))
        line.append(message.sender.value + ": ", .bold)
        line.append(text(message.content))
        if message.editedAt != nil { line.append(" (edited)", .dim) }
        for (name, count) in message.reactions.sorted(by: { $0.key < $1.key }) {
            line.append("  \(name)" + (count > 1 ? " \(count)" : ""), .dim)
        }
        if let failure = message.failure { line.append("  \(failure)", .red) }
        return line
    }

    /// The delivery state of the message.
    private func mark(_ message: Message) -> String {
        switch message.syncState {
        case .created: "queued "
        case .uploading: "upload "
        case .syncing: "sending"
        case .synced: "       "
        case .error: "FAILED "
        }
    }

    private func style(_ message: Message) -> TerminalLine.Style {
        message.syncState == .error ? .red : message.syncState == .synced ? .green : .yellow
    }

    private func text(_ content: MessageContent) -> String {
        switch content {
        case .text(let text): text
        case .custom: "[custom]"
        case .image, .video, .audio, .file: "[attachment]"
        case .unknown: "[a kind that this program does not know]"
        }
    }
}
