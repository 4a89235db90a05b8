internal import CausewayTLS

/// A new secret of an account: 256 random bits. Prints as dots.
package struct AccountToken: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// What the account's owner keeps: 64 hexadecimal digits behind `cwt_`, so that scanners for leaked secrets can
    /// tell what it is.
    package let text: String

    init() {
        let digits = Array("0123456789abcdef".utf8)
        let bytes = SecureRandom.bytes(32)
        text = "cwt_" + String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }

    /// What the hub keeps.
    static func digest(of text: String) -> [UInt8] { Digest.sha256(text.utf8) }

    package var description: String { "••••" }
    package var debugDescription: String { "••••" }
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}
