internal import CausewayModels
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
