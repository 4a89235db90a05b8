/// A position in a server's log of changes.
///
/// Opaque text, valid on every instance of the server that shares its data; no clock and no connection in it. Never
/// compared or parsed by a client. At most ``bytesMax`` bytes.
public struct EventCursor: Sendable, Hashable, Codable, RawRepresentable {
    /// The length of the longest valid cursor.
    public static let bytesMax = 512

    public let rawValue: String

    /// `nil` if the text is empty or longer than ``bytesMax``.
    public init?(rawValue: String) {
        guard (1...Self.bytesMax).contains(rawValue.utf8.count) else { return nil }
        self.rawValue = rawValue
    }
}
