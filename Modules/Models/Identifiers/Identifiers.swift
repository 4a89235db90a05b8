/// The identity of a message: chosen at creation, committed before the first byte leaves, never changed.
/// It is also the idempotency key on the server.
public struct MessageID: Sendable, Hashable {
    public let value: UUIDv7
    public init(_ value: UUIDv7) { self.value = value }
}

/// The identity of a store's outbox: made with the store, kept through every login.
public struct OutboxID: Sendable, Hashable {
    public let value: UUIDv7
    public init(_ value: UUIDv7) { self.value = value }
}

/// The identity of one login of one user on one store.
public struct SessionID: Sendable, Hashable {
    public let value: UUIDv7
    public init(_ value: UUIDv7) { self.value = value }
}

/// A name that people choose: 1 to `Limits.nameBytesMax` bytes of letters, digits, `.`, `_`, `-`, `@`, `:`.
///
/// The same rule holds for channels and users, on the client and on the hub.
public enum Name {
    /// Says what is wrong with `text` as a name, in words; `nil` when nothing is.
    public static func problem(with text: String) -> String? {
        if text.isEmpty { return "is empty" }
        if text.utf8.count > Limits.nameBytesMax { return "is longer than \(Limits.nameBytesMax) bytes" }
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"),
                UInt8(ascii: "@"), UInt8(ascii: ":"):
                continue
            default:
                return "holds a character other than letters, digits and . _ - @ :"
            }
        }
        if text == "." || text == ".." { return "is a path, not a name" }
        return nil
    }
}

/// The identity of a channel, as people write it (`general`).
public struct ChannelID: Sendable, Hashable {
    public let value: String

    /// - Returns: `nil` when the text is no name; ``Name/problem(with:)`` says why.
    public init?(_ value: String) {
        guard Name.problem(with: value) == nil else { return nil }
        self.value = value
    }
}

/// The identity of a user on a server.
public struct UserID: Sendable, Hashable {
    public let value: String

    /// - Returns: `nil` when the text is no name; ``Name/problem(with:)`` says why.
    public init?(_ value: String) {
        guard Name.problem(with: value) == nil else { return nil }
        self.value = value
    }
}
