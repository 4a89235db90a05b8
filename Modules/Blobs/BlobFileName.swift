internal import CausewayModels
internal import CausewayStorage

/// The names in a folder of blobs.
///
/// | name | is |
/// | --- | --- |
/// | `HASH` | the bytes of a blob: 64 hexadecimal digits of their SHA-256 |
/// | `HASH.MESSAGE.ACCOUNT` | a reference, an empty file: the id of a message, 16 digits of a hash of its account |
/// | `new-…` | a copy that is not complete |
///
/// The names are all that is stored about a reference: it appears and goes in one step.
enum BlobFileName: Equatable {
    case blob(sha256: String)
    case reference(sha256: String, message: MessageID, account: String)
    case incomplete

    static let accountDigits = 16
    private static let incompletePrefix = "new-"

    /// `nil` for a name that is none of these: such a file is left alone.
    init?(_ name: String) {
        if name.hasPrefix(Self.incompletePrefix) {
            self = .incomplete
            return
        }
        let parts = name.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard let sha256 = parts.first, Attachment.isHash(sha256) else { return nil }
        switch parts.count {
        case 1: self = .blob(sha256: sha256)
        case 3:
            guard let message = MessageID(parts[1]), message.description == parts[1],
                parts[2].utf8.count == Self.accountDigits
            else { return nil }
            self = .reference(sha256: sha256, message: message, account: parts[2])
        default: return nil
        }
    }

    static func blob(_ sha256: String) -> String { sha256 }

    static func reference(_ sha256: String, _ key: BlobIndex.Key) -> String {
        "\(sha256).\(key.message).\(key.account)"
    }

    /// The name of the `number`-th copy of this run.
    static func incomplete(_ number: Int) -> String { incompletePrefix + String(number) }
}
