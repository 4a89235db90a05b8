package import CausewayControlAPI
import CausewayModels

/// Formats lists of messages for a terminal.
package enum MessageListing {
    /// A channel in reading order, oldest first.
    package static func channel(_ messages: [MessageDTO], for terminal: Terminal) -> [String] {
        var table = TextTable(["#", "TIME", "FROM", "STATE", "MESSAGE"])
        for message in messages.reversed() {
            table.add([
                TextTable.Cell(message.position.map(String.init) ?? "-"), TextTable.Cell(moment(message.createdAt)),
                TextTable.Cell(message.sender.value), state(message), TextTable.Cell(said(message) + why(message)),
            ])
        }
        return table.isEmpty ? ["No messages."] : table.lines(for: terminal)
    }

    /// The outbox, oldest first: waiting messages, edits and reactions, and their reasons.
    package static func outbox(_ messages: [MessageDTO], for terminal: Terminal) -> [String] {
        var table = TextTable(["ID", "CHANNEL", "STATE", "MESSAGE"])
        for message in messages {
            table.add(
                [
                    TextTable.Cell(message.id.description), TextTable.Cell(message.channel.value), state(message),
                    TextTable.Cell(said(message)),
                ], note: note(message))
        }
        return table.isEmpty ? ["The outbox is empty: all messages are on the server."] : table.lines(for: terminal)
    }

    /// The failed messages, edits and reactions, oldest first.
    package static func failed(_ messages: [MessageDTO], for terminal: Terminal) -> [String] {
        var table = TextTable(["ID", "CHANNEL", "FAILED", "MESSAGE"])
        for message in messages {
            table.add(
                [
                    TextTable.Cell(message.id.description), TextTable.Cell(message.channel.value),
                    TextTable.Cell(message.failure.map { moment($0.at) } ?? ""), TextTable.Cell(said(message)),
                ], note: note(message))
        }
        return table.isEmpty ? ["Nothing has failed."] : table.lines(for: terminal)
    }

    /// The past deletions, newest first: messages, edits and reactions.
    package static func deleteActions(_ actions: [DeleteActionDTO], for terminal: Terminal) -> [String] {
        var table = TextTable(["#", "WHEN", "BY", "ID", "CHANNEL", "WAS", "LAST ERROR"])
        for action in actions {
            let change = change(action.changeName, of: action.related)
            table.add(
                [
                    TextTable.Cell(String(action.sequence)), TextTable.Cell(moment(action.at)),
                    TextTable.Cell(action.by), TextTable.Cell(action.message.description),
                    TextTable.Cell(action.channel.value), TextTable.Cell(action.state),
                    TextTable.Cell(action.failure?.text ?? ""),
                ], note: change.map { TextTable.Cell($0, .dim) })
        }
        return table.isEmpty ? ["Nothing was deleted."] : table.lines(for: terminal)
    }

    /// `2026-11-21 08:20:12`: to the second, in UTC.
    package static func moment(_ text: String) -> String {
        text.count >= 19 ? String(text.prefix(19)).replacing("T", with: " ") : text
    }

    private static func state(_ message: MessageDTO) -> TextTable.Cell {
        let style: Terminal.Style? =
            switch message.state {
            case SyncState.synced.rawValue: .green
            case SyncState.error.rawValue: .red
            default: .yellow
            }
        return TextTable.Cell(message.state + (message.inDoubt ? "?" : ""), style)
    }

    /// The message that an edit or a reaction concerns, the reason why it waits or failed, and what to do about that.
    private static func note(_ message: MessageDTO) -> TextTable.Cell? {
        let name = change(message.changeName, of: message.related)
        let change = name.map { $0 + ", " } ?? ""
        if let wait = message.waitText { return TextTable.Cell("\(change)waits: \(wait)", .dim) }
        guard let failure = message.failure else { return name.map { TextTable.Cell($0, .dim) } }
        return TextTable.Cell(change + failure.text + (message.remedy.map { "; " + $0 } ?? ""), .red)
    }

    /// `edit of message ID`; `nil` for a message.
    private static func change(_ name: String?, of message: MessageID?) -> String? {
        name.map { name in name + (message.map { " \($0)" } ?? "") }
    }

    /// The content of the message, the edit or the reaction on one line.
    package static func said(_ message: MessageDTO) -> String {
        if let custom = message.custom, let text = try? ControlJSON.encode(custom) {
            return String(decoding: text, as: UTF8.self)
        }
        if message.isChange, message.role != "edit", let reaction = message.text {
            return (message.role == "removeReaction" ? "[reaction removed] " : "[reaction] ") + reaction
        }
        let name = message.attachment.map { "[\(message.type): \($0.name)]" }
        let parts = [name, message.text].compactMap { $0 }
        return parts.isEmpty ? "[\(message.type)]" : parts.joined(separator: " ")
    }

    /// Why the message waits or failed, to follow its content; empty when it does neither.
    package static func why(_ message: MessageDTO) -> String {
        if let text = message.waitText { return "  (\(text))" }
        if let failure = message.failure { return "  (\(failure.text))" }
        return ""
    }
}
