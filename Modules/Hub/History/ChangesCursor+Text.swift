internal import CausewayHubStorage
internal import CausewayModels

/// The text form in pages and requests.
extension ChangesCursor {
    /// The length of an opening's id.
    private static let openingBytes = 16

    var text: String { Hexadecimal.text(of: opening) + "-\(commit)" }

    /// - Returns: `nil` for text that no hub of this version wrote.
    init?(_ text: String) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, let opening = Hexadecimal.bytes(of: parts[0]), opening.count == Self.openingBytes,
            let commit = Int64(parts[1]), commit >= 0
        else { return nil }
        self.init(opening: opening, commit: commit)
    }
}
