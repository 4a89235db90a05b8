import CausewayModels
import CausewayStorage

/// Coding of a message's state history in its column: `state:milliseconds`, joined by commas, oldest first. Statements
/// that change many rows append to it.
enum HistoryCoding {
    static func encode(_ history: [StateChange]) -> String? {
        history.isEmpty ? nil : history.map(entry).joined(separator: ",")
    }

    static func entry(_ change: StateChange) -> String {
        "\(StateCode.code(change.state)):\(change.at.milliseconds)"
    }

    /// `nil` if the text is malformed.
    static func decode(_ text: String) -> [StateChange]? {
        var changes: [StateChange] = []
        for entry in text.utf8.split(separator: UInt8(ascii: ",")).suffix(Limits.historyKeptMax) {
            let parts = entry.split(separator: UInt8(ascii: ":"))
            guard parts.count == 2, let code = Int64(Substring(parts[0])), let time = Int64(Substring(parts[1])),
                let state = StateCode.state(code)
            else { return nil }
            changes.append(StateChange(state: state, at: Timestamp(milliseconds: time)))
        }
        return changes
    }

    /// The SQL expression that appends a change to the column.
    static func appending(_ state: SyncState, at time: Timestamp) -> String {
        "coalesce(history || ',', '') || '\(entry(StateChange(state: state, at: time)))'"
    }
}
