package import CausewayModels
internal import CausewayTLS

/// A new secret of an account: 256 random bits. Prints as dots.
package struct AccountToken: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The token that the account's owner keeps: 64 hexadecimal digits after `cwt_`, so that scanners for leaked
    /// secrets recognise it.
    package let text: String

    init() {
        let bytes = SecureRandom.bytes(32)
        text = "cwt_" + Hexadecimal.text(of: bytes)
    }

    /// Writes the token to a new file that only its owner may read.
    ///
    /// - Throws: `alreadySetUp` if the file exists.
    package func write(to path: String) throws(HubError) { try DataFolder.writeSecret(text + "\n", to: path) }

    /// Replaces the account's old token in a file atomically: a reader sees the old or the new one.
    package func replace(at path: String) throws(HubError) {
        let fresh = path + ".new"
        DataFolder.remove(fresh)
        try write(to: fresh)
        try DataFolder.rename(fresh, to: path)
    }

    /// The digest that the hub stores.
    static func digest(of text: String) -> [UInt8] { Digest.sha256(text.utf8) }

    package var description: String { "••••" }
    package var debugDescription: String { "••••" }
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// An account that may use the hub.
package struct Account: Sendable, Hashable {
    /// The hub's own number for the account; never reused.
    let number: Int64
    package let user: UserID
    package let createdAt: Timestamp
    /// The time of its removal; a removed account has no token.
    package let removedAt: Timestamp?
}

/// Bytes as text of two lower-case hexadecimal digits each.
enum Hexadecimal {
    private static let digits = Array("0123456789abcdef".utf8)

    static func text(of bytes: [UInt8]) -> String {
        String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }

    /// Returns `nil` for text with any other character, or with half a byte.
    static func bytes(of text: some StringProtocol) -> [UInt8]? {
        let values = text.utf8.compactMap { digit in digits.firstIndex(of: digit).map(UInt8.init) }
        guard values.count == text.utf8.count, values.count.isMultiple(of: 2) else { return nil }
        return stride(from: 0, to: values.count, by: 2).map { values[$0] << 4 | values[$0 + 1] }
    }
}
