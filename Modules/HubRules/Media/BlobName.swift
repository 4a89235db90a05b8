internal import CausewayModels

/// The name of a blob: the SHA-256 of its bytes.
package struct BlobName: Sendable, Hashable {
    package static let bytesCount = 32

    /// 32 bytes.
    package let bytes: [UInt8]

    /// Returns `nil` unless there are 32 bytes.
    package init?(bytes: [UInt8]) {
        guard bytes.count == Self.bytesCount else { return nil }
        self.bytes = bytes
    }

    /// Returns `nil` for anything but 64 lower-case hexadecimal digits.
    package init?(_ text: some StringProtocol) {
        guard text.utf8.count == 2 * Self.bytesCount, let bytes = Hexadecimal.bytes(of: text) else { return nil }
        self.bytes = bytes
    }

    /// 64 lower-case hexadecimal digits.
    package var text: String { Hexadecimal.text(of: bytes) }
}

extension BlobName: Comparable {
    package static func < (left: BlobName, right: BlobName) -> Bool {
        left.bytes.lexicographicallyPrecedes(right.bytes)
    }
}

extension BlobName: CustomStringConvertible {
    package var description: String { text }
}

/// The id of an upload: random, so that it cannot be guessed.
package struct UploadID: Sendable, Hashable {
    package static let bytesCount = 16

    /// 16 bytes.
    package let bytes: [UInt8]

    /// Returns `nil` unless there are 16 bytes.
    package init?(bytes: [UInt8]) {
        guard bytes.count == Self.bytesCount else { return nil }
        self.bytes = bytes
    }

    /// Returns `nil` for anything but 32 lower-case hexadecimal digits.
    package init?(_ text: some StringProtocol) {
        guard text.utf8.count == 2 * Self.bytesCount, let bytes = Hexadecimal.bytes(of: text) else { return nil }
        self.bytes = bytes
    }

    /// 32 lower-case hexadecimal digits.
    package var text: String { Hexadecimal.text(of: bytes) }
}

extension UploadID: Comparable {
    package static func < (left: UploadID, right: UploadID) -> Bool {
        left.bytes.lexicographicallyPrecedes(right.bytes)
    }
}

extension UploadID: CustomStringConvertible {
    package var description: String { text }
}
