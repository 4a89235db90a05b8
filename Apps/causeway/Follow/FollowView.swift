import Causeway
import CausewayCommandLine
import CausewayControlAPI
import CausewaySystem
import CausewayTerminal

/// The screen of `messages --follow`: one row for each message, the newest at the bottom, and a status line.
actor FollowView {
    private let channel: String
    private let screen: TerminalScreen
    private var followed = FollowedMessages()
    private var last: FollowEvent?
    private var position = ScrollPosition()

    init(channel: String, screen: TerminalScreen) {
        self.channel = channel
        self.screen = screen
    }

    func show(_ event: FollowEvent) throws(ControlError) {
        let before = followed.messages
        try followed.apply(event)
        position.adapt(to: event, before, followed.messages)
        last = event
        draw()
    }

    /// - Returns: how the program ends, if the event ends it.
    func react(to event: TerminalEvent) -> MessageFollower.Ending? {
        switch event {
        case .ended(let signal): return .signal(signal)
        case .key(.character("q")), .key(.character("Q")), .key(.control("d")): return .quit
        case .key(let key): scroll(key)
        case .redraw: break
        }
        draw()
        return nil
    }

    private func scroll(_ key: TerminalKey) {
        let page = max(1, screen.size.rows - 2)
        switch key {
        case .up, .character("k"): position.below += 1
        case .down, .character("j"): position.below -= 1
        case .pageUp, .character("b"): position.below += page
        case .pageDown, .character(" "): position.below -= page
        case .home, .character("g"): position.below = followed.messages.count
        case .end, .character("G"), .escape: position.below = 0
        default: break
        }
    }

    // MARK: - Drawing

    private func draw() {
        let size = screen.size
        let room = max(0, size.rows - 1)
        let messages = followed.messages
        position.below = min(max(0, position.below), max(0, messages.count - room))
        let seen = messages.dropLast(position.below).suffix(room)
        let columns = Columns(messages: seen)
        var lines = seen.map { columns.line($0, width: size.columns) }
        lines += Array(repeating: TerminalLine(), count: max(0, room - lines.count))
        lines.append(status(size.columns))
        screen.draw(lines)
    }

    /// At most two names: there may be many.
    private static func typing(_ users: [UserID]) -> String {
        let names = users.prefix(2).map(\.value)
        if users.count > names.count { return "\(users.count) are typing …" }
        return names.joined(separator: " and ") + (names.count == 1 ? " is typing …" : " are typing …")
    }

    private func status(_ columns: Int) -> TerminalLine {
        var parts = [channel, followed.messages.count == 1 ? "1 message" : "\(followed.messages.count) messages"]
        let waiting = followed.messages.count { $0.waitText != nil }
        let failed = followed.messages.count { $0.failure != nil }
        if waiting > 0 { parts.append("\(waiting) waiting") }
        if failed > 0 { parts.append("\(failed) failed") }
        if let typing = last?.typing, !typing.isEmpty { parts.append(Self.typing(typing)) }
        if let problem = last?.problem { parts.append("the list was not refreshed: \(problem)") }
        if last == nil || last?.loadingStatus == "\(LoadingStatus.loading)" { parts.append("loading …") }
        let right = position.below > 0 ? " \(position.below) newer below, End shows them " : " q quits "
        let left = " " + VisibleText.oneLine(parts.joined(separator: " · "))
        let room = max(0, columns - TerminalText.width(of: right))
        return TerminalLine(TerminalText.fitted(left, to: room) + TerminalText.cut(right, to: columns), .inverse)
    }
}

/// The widths of the columns.
private struct Columns {
    private let position: Int
    private let sender: Int
    private static let senderMax = 20
    /// The width of `uploading`, the longest state, with a mark of doubt.
    private static let state = 10

    init(messages: some Sequence<MessageDTO>) {
        position = messages.map { Self.text($0.position).count }.max() ?? 1
        sender = min(Self.senderMax, messages.map { TerminalText.width(of: $0.sender.value) }.max() ?? 1)
    }

    private static func text(_ position: Int64?) -> String { position.map(String.init) ?? "-" }

    func line(_ message: MessageDTO, width: Int) -> TerminalLine {
        var line = TerminalLine(TerminalText.fitted(Self.text(message.position), to: position) + " ", .dim)
        line.append(String(message.createdAt.dropFirst(11).prefix(8)) + " ", .dim)
        line.append(TerminalText.fitted(VisibleText.oneLine(message.sender.value), to: sender) + " ")
        let state = message.state + (message.inDoubt ? "?" : "")
        line.append(TerminalText.fitted(state, to: Self.state) + " ", style(message))
        line.append(VisibleText.oneLine(MessageListing.said(message)))
        line.append(VisibleText.oneLine(MessageListing.why(message)), message.failure == nil ? .dim : .red)
        return line
    }

    private func style(_ message: MessageDTO) -> TerminalLine.Style {
        switch message.state {
        case SyncState.synced.rawValue: .green
        case SyncState.error.rawValue: .red
        default: .yellow
        }
    }
}
