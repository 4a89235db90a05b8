import Causeway

/// One message, and the status, for people: a line for each fact.
package enum MessageDetails {
    package static func lines(_ message: MessageForm, for terminal: Terminal) -> [String] {
        var facts: [(String, String?)] = [
            ("id", message.id.description), ("channel", message.channel.value), ("from", message.sender.value),
            ("type", message.type), (relation(message), message.related?.description),
            ("created", message.createdAt), ("edited", message.editedAt), ("reactions", reactions(message)),
            ("state", message.state + (message.inDoubt ? " (the server has not said whether it has a copy)" : "")),
            ("waits", message.waitText), ("failed", message.failure.map { "\($0.text) (\($0.at))" }),
            ("position", message.position.map(String.init)), ("accepted", message.acceptedAt),
        ]
        if message.attempts > 0 {
            facts.append(("attempts", "\(message.attempts), the last at \(message.lastAttemptAt ?? "?")"))
        }
        for change in message.history ?? [] { facts.append(("became", "\(change.state) at \(change.at)")) }
        let text = message.text ?? MessageListing.said(message)
        return facts.compactMap { fact($0.0, $0.1, terminal) } + ["", VisibleText.lines(text)]
    }

    private static func relation(_ message: MessageForm) -> String {
        switch message.role {
        case "reply": "answers"
        case "edit": "edits"
        case "addReaction": "reacts to"
        case "removeReaction": "takes back"
        default: "about"
        }
    }

    private static func reactions(_ message: MessageForm) -> String? {
        let mine = Set(message.myReactions ?? [])
        return message.reactions?.sorted { $0.key < $1.key }
            .map { "\($0.key) \($0.value)" + (mine.contains($0.key) ? " (yours too)" : "") }.joined(separator: ", ")
    }

    package static func lines(_ status: StatusForm, for terminal: Terminal) -> [String] {
        let link = status.connectivity
        let until = link.until.map { link.state == "offline" ? "; trying again at \($0)" : " until \($0)" }
        let counts = status.counts
        var facts: [(String, String?)] = [
            ("session", status.session.map { "\($0.user) at \($0.server)" } ?? "nobody is logged in"),
            ("connection", link.state + (link.detail.map { ": \($0)" } ?? "") + (until ?? "")),
            ("attention", status.attention?.detail), ("waiting", status.waitText),
            ("store", status.process.store), ("trouble", status.storeProblem),
            ("outbox", "\(counts.waiting) waiting, \(counts.error) failed, \(counts.undeliveredBytes) bytes"),
        ]
        for lane in status.lanes where lane.depth > 0 {
            facts.append(("lane \(lane.lane)", "\(lane.depth)" + (lane.waitText.map { ", first: \($0)" } ?? "")))
        }
        facts += [
            ("delivered", "\(status.delivered) in this run"), ("server", status.server),
            (
                "process",
                status.process.isDaemon
                    ? "daemon \(status.process.pid), version \(status.process.version)" : "no daemon runs"
            ),
        ]
        return facts.compactMap { fact($0.0, $0.1, terminal) }
    }

    package static func lines(_ settings: Settings, for terminal: Terminal) -> [String] {
        var table = TextTable(["SETTING", "VALUE", "FROM"])
        for key in SettingKey.allCases {
            table.add([
                TextTable.Cell(key.rawValue), TextTable.Cell(settings.text(of: key) ?? "-"),
                TextTable.Cell(settings.source(of: key).description),
            ])
        }
        return table.lines(for: terminal)
    }

    private static func fact(_ name: String, _ value: String?, _ terminal: Terminal) -> String? {
        guard let value, !value.isEmpty else { return nil }
        let padding = String(repeating: " ", count: max(0, 12 - name.count))
        return terminal.styled(name + padding, .dim) + VisibleText.oneLine(value)
    }
}
