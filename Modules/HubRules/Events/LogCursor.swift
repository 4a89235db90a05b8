internal import CausewayModels

/// A position in the hub's log: the last change that a reader knows.
///
/// A position alone would be ambiguous after a backup was restored. The history changes with a restored backup, and the
/// opening that was lost with the newer data is either unknown, or ended before the position.
package struct LogCursor: Sendable, Hashable {
    /// The length of an id.
    private static let idBytes = 16

    /// The id of a history of the hub's data; 16 bytes.
    package let history: [UInt8]
    /// The id of an opening of the hub; 16 bytes.
    package let opening: [UInt8]
    /// 0 before the first change.
    package let position: Int64

    package init(history: [UInt8], opening: [UInt8], position: Int64) {
        self.history = history
        self.opening = opening
        self.position = position
    }

    /// The text in requests and responses, which needs no escaping.
    package var text: String {
        Hexadecimal.text(of: history) + "-" + Hexadecimal.text(of: opening) + "-\(position)"
    }

    /// - Returns: `nil` for text that no hub of this version wrote.
    package init?(_ text: some StringProtocol) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 3, let history = Hexadecimal.bytes(of: parts[0]), history.count == Self.idBytes,
            let opening = Hexadecimal.bytes(of: parts[1]), opening.count == Self.idBytes,
            let position = Int64(parts[2]), position >= 0, "\(position)" == parts[2]
        else { return nil }
        self.init(history: history, opening: opening, position: position)
    }

    /// Whether a reader can continue at this position: it belongs to the present history, the data reached it, and no
    /// change after it has been dropped. Otherwise the reader reads its state anew.
    ///
    /// - Parameters:
    ///   - history: the id of the present history.
    ///   - last: the last position of the cursor's opening; `nil` when it is not known.
    ///   - floor: the last position that has been dropped.
    package func isValid(in history: [UInt8], last: Int64?, floor: Int64) -> Bool {
        guard let last else { return false }
        return self.history == history && (floor...max(floor, last)).contains(position)
    }
}
