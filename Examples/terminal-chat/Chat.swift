import Causeway
import CausewayTerminal

/// The screen and its keys. Runs on the main actor, where the live collections call their observers.
@MainActor
final class Chat {
    private let client: CausewayClient
    private let screen: TerminalScreen
    private let conversations: [Conversation]
    private let outbox: LiveCollection<Message>
    private let session: LiveObject<Session>
    private var tokens: [NotificationToken] = []
    private var open = 0
    private var typed = ""
    private var notice: String?

    init(client: CausewayClient, channels: [ChannelID], screen: TerminalScreen) {
        self.client = client
        self.screen = screen
        conversations = channels.map { Conversation($0, client) }
        outbox = client.messages.getOutbox(pageSize: LiveLimits.pageSizeMax)
        session = client.liveSession()
    }

    /// - Returns: the signal that ended the chat, if any.
    func run() async -> Int32? {
        tokens = conversations.map { conversation in conversation.messages.observe { [weak self] _, _ in self?.draw() }
        }
        tokens.append(outbox.observe { [weak self] _, _ in self?.draw() })
        tokens.append(session.observe { [weak self] _, _ in self?.draw() })
        let typing = conversations.map { conversation in
            Task { [weak self] in for await _ in conversation.typing { self?.draw() } }
        }
        defer {
            tokens = []
            for task in typing { task.cancel() }
        }
        draw()
        for await event in screen.events {
            switch event {
            case .ended(let signal): return signal
            case .key(.control("d")), .key(.control("c")): return nil
            case .key(let key): await press(key)
            case .redraw: break
            }
            draw()
        }
        return nil
    }

    // MARK: - Keys

    private func press(_ key: TerminalKey) async {
        notice = nil
        let conversation = conversations[open]
        switch key {
        case .character(let character):
            typed.append(character)
            // The client sends only some of these reports.
            await client.setTyping(in: conversation.channel)
        case .backspace: _ = typed.popLast()
        case .control("u"), .escape:
            typed = ""
            await client.setTyping(false, in: conversation.channel)
        case .enter: await send(in: conversation.channel)
        case .tab, .down: open = (open + 1) % conversations.count
        case .up: open = (open + conversations.count - 1) % conversations.count
        case .pageUp: conversation.lookBack(by: rows)
        case .pageDown: conversation.offset = max(0, conversation.offset - rows)
        case .end: conversation.offset = 0
        case .control("r"):
            await resend(in: conversation.channel)
        default: break
        }
    }

    private func send(in channel: ChannelID) async {
        guard !typed.isEmpty else { return }
        let text = typed
        typed = ""
        do {
            // Durable and visible on return; the outbox delivers it.
            _ = try await client.messages.createTextMessage(text, in: channel)
        } catch {
            typed = text
            notice = "\(error)"
        }
    }

    private func resend(in channel: ChannelID) async {
        do {
            let count = try await client.messages.resendFailedMessages(in: channel)
            notice = count == 0 ? "nothing has failed here" : "sending again: \(count)"
        } catch {
            notice = "\(error)"
        }
    }

    // MARK: - Drawing

    private static let leftWidth = 22
    /// The rows of a conversation: all but the status line and the input line.
    private var rows: Int { max(1, screen.size.rows - 2) }

    private func draw() {
        let size = screen.size
        let right = max(10, size.columns - Self.leftWidth - 1)
        let conversation = conversations[open]
        let said = conversation.lines(rows: rows, columns: right)
        var lines: [TerminalLine] = []
        for row in 0..<rows {
            let name = row < conversations.count ? self.name(row) : TerminalLine()
            lines.append(
                name.fitted(to: Self.leftWidth, fills: true) + TerminalLine("│", .dim)
                    + (row < said.count ? said[row] : TerminalLine()))
        }
        lines.append(TerminalLine(TerminalText.fitted(state(conversation), to: size.columns), .inverse))
        let prompt = " \(conversation.channel.value) > "
        let room = max(1, size.columns - TerminalText.width(of: prompt) - 1)
        let tail = TerminalText.suffix(of: typed, within: room)
        lines.append(TerminalLine(prompt, .bold) + TerminalLine(tail))
        screen.draw(lines, cursor: (lines.count - 1, TerminalText.width(of: prompt) + TerminalText.width(of: tail)))
    }

    private func name(_ index: Int) -> TerminalLine {
        let channel = conversations[index].channel
        let waiting = outbox.snapshots.count { $0.channel == channel }
        let name = TerminalText.fitted(" " + channel.value, to: Self.leftWidth - 6)
        var line = TerminalLine(name, index == open ? .inverse : .plain)
        if waiting > 0 { line.append(" \(waiting)", .yellow) }
        return line
    }

    private func state(_ conversation: Conversation) -> String {
        if let notice { return " " + notice }
        let failed = outbox.snapshots.count { $0.syncState == .error }
        var parts = [session.snapshot.map { "\($0.user.value) at \($0.server)" } ?? "not logged in"]
        if !outbox.snapshots.isEmpty { parts.append("outbox \(outbox.count - failed) waiting, \(failed) failed") }
        let typing = conversation.typing.now.map(\.value)
        if !typing.isEmpty { parts.append("typing: " + typing.joined(separator: ", ")) }
        if let error = conversation.messages.error { parts.append("\(error)") }
        return " " + parts.joined(separator: " · ")
    }
}
