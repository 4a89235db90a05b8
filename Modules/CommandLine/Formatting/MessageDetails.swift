import CausewayConfiguration
package import CausewayControlAPI
import CausewayModels
import CausewaySystem

/// Formats one message, the status and the settings for a terminal: a line for each fact.
package enum MessageDetails {
    package static func lines(_ message: MessageDTO, for terminal: Terminal) -> [String] {
        var facts: [(String, String?)] = [
            ("id", message.id.description), ("channel", message.channel.value), ("from", message.sender.value),
            ("type", message.type), (relation(message), message.related?.description),
            ("tags", message.tags?.joined(separator: ", ")), ("created", message.createdAt),
            ("edited", message.editedAt),
            ("reactions", reactions(message)),
            ("state", message.state + (message.inDoubt ? " (the server has not confirmed whether it has a copy)" : "")),
            ("waits", message.waitText), ("failed", message.failure.map { "\($0.text) (\($0.at))" }),
            ("to do", message.remedy),
            ("position", message.position.map(String.init)), ("accepted", message.acceptedAt),
        ]
        if message.attempts > 0 {
            facts.append(("attempts", "\(message.attempts), the last at \(message.lastAttemptAt ?? "?")"))
        }
        for change in message.history ?? [] { facts.append(("became", "\(change.state) at \(change.at)")) }
        let text = message.text ?? MessageListing.said(message)
        return facts.compactMap { fact($0.0, $0.1, terminal) } + ["", VisibleText.lines(text)]
    }

    private static func relation(_ message: MessageDTO) -> String {
        switch message.role {
        case "reply": "replies to"
        case "edit": "edits"
        case "addReaction": "reacts to"
        case "removeReaction": "removes a reaction from"
        default: "about"
        }
    }

    private static func reactions(_ message: MessageDTO) -> String? {
        let mine = Set(message.myReactions ?? [])
        return message.reactions?.sorted { $0.key < $1.key }
            .map { "\($0.key) \($0.value)" + (mine.contains($0.key) ? " (one is yours)" : "") }.joined(separator: ", ")
    }

    package static func lines(_ status: StatusResponse, for terminal: Terminal) -> [String] {
        let link = status.connectivity
        let until = link.until.map { link.state == "offline" ? "; trying again at \($0)" : " until \($0)" }
        let counts = status.counts
        var facts: [(String, String?)] = [
            ("session", status.session.map { "\($0.user) at \($0.server)" } ?? "not logged in"),
            ("connection", link.state + (link.detail.map { ": \($0)" } ?? "") + (until ?? "")),
            ("events", status.events.flatMap(events)),
            ("attention", status.attention?.detail), ("waiting", status.waitText),
            ("store", status.process.store), ("trouble", status.storeProblem),
            ("outbox", outbox(counts)),
        ]
        for lane in status.lanes where lane.depth > 0 {
            facts.append(("lane \(lane.lane)", "\(lane.depth)" + (lane.waitText.map { ", first: \($0)" } ?? "")))
        }
        facts += (status.notices ?? []).map { ("notice", "\($0.detail), at \($0.at)") }
        facts += [
            ("delivered", "\(status.delivered) in this run"), ("server", status.server),
            (
                "process",
                status.process.isDaemon
                    ? "daemon \(status.process.pid), version \(status.process.version)" : "no daemon running"
            ),
        ]
        return facts.compactMap { fact($0.0, $0.1, terminal) }
    }

    /// Whether changes of others arrive by themselves; `nil` without a session.
    private static func events(_ events: StatusResponse.Events) -> String? {
        switch events.state {
        case "upToDate": "up to date; changes on the server arrive by themselves"
        case "catchingUp": "catching up"
        case "waiting": "waiting for the server"
        case "interrupted":
            "interrupted" + (events.detail.map { ": \($0)" } ?? "")
                + (events.retryAt.map { "; trying again at \($0)" } ?? "")
        default: nil
        }
    }

    private static func outbox(_ counts: StatusResponse.Counts) -> String {
        let blocked = counts.blocked.map { $0 > 0 ? "\($0) blocked by failed messages, " : "" } ?? ""
        let failed = counts.failed.text("failed")
        return "\(counts.waiting) waiting, \(blocked)\(failed), \(counts.undeliveredBytes) bytes"
    }

    /// - Parameter daemon: the settings of the running daemon, shown for comparison.
    package static func lines(
        _ settings: SettingsResponse, daemon: SettingsResponse?, for terminal: Terminal
    ) -> [String] {
        var table = TextTable(["SETTING", "VALUE", "FROM"] + (daemon == nil ? [] : ["DAEMON", "FROM"]))
        for key in SettingKey.allCases {
            let own = settings.entries[key.rawValue]
            var cells = [
                TextTable.Cell(key.rawValue), TextTable.Cell(own?.value ?? "-"), TextTable.Cell(own?.source ?? "-"),
            ]
            if let daemon {
                let other = daemon.entries[key.rawValue]
                cells.append(TextTable.Cell(other?.value ?? "-", other?.value == own?.value ? nil : .yellow))
                cells.append(TextTable.Cell(other?.source ?? "-"))
            }
            table.add(cells)
        }
        return table.lines(for: terminal)
    }

    private static func fact(_ name: String, _ value: String?, _ terminal: Terminal) -> String? {
        guard let value, !value.isEmpty else { return nil }
        // A name that is longer than its column is still a word of its own.
        let padding = String(repeating: " ", count: max(1, 12 - name.count))
        return terminal.styled(name + padding, .dim) + VisibleText.oneLine(value)
    }
}
