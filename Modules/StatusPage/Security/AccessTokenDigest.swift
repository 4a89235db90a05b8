package import CausewayControlAPI
import CausewayTLS
import Foundation

/// The token that grants access to the page. Stored as a digest: it is compared and never shown.
package struct AccessTokenDigest: Sendable, Hashable, CustomStringConvertible {
    private let digest: [UInt8]

    /// - Parameter origin: the source of the text, for the error, which never repeats the text.
    ///
    /// Throws ``ControlError/Code/configuration`` for a token shorter than ``StatusPageLimits/tokenBytesMin``.
    package init(_ text: String, from origin: String) throws(ControlError) {
        let text = text.trimmingCharacters(in: .whitespacesAndNewlines)
        let sizes = StatusPageLimits.tokenBytesMin...StatusPageLimits.tokenBytesMax
        guard sizes.contains(text.utf8.count), text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw ControlError(
                .configuration,
                "invalid access token from \(origin); use \(sizes.lowerBound) to \(sizes.upperBound) visible ASCII"
                    + " characters; `openssl rand -hex 24` makes one")
        }
        digest = Digest.sha256(text.utf8)
    }

    /// Compares in constant time, whatever the text.
    func matches(_ text: String) -> Bool { Digest.constantTimeEqual(Digest.sha256(text.utf8), digest) }

    package var description: String { "••••" }
}
