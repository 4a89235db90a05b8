/// The response that completes an upload: the file that the hub has verified and stored.
package struct WireReceipt: Codable, Sendable, Hashable {
    /// SHA-256 of the bytes in lower-case hexadecimal, which is also the name of the file on the hub.
    package var sha256: String
    /// Bytes of the file.
    package var size: Int64

    package init(sha256: String, size: Int64) {
        self.sha256 = sha256
        self.size = size
    }
}
