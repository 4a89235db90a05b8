/// An identifier that users choose and write: a ``Name``.
public protocol NamedIdentifier: Sendable, Hashable, Codable, LosslessStringConvertible {
    /// The kind of the named thing, for errors: `channel`.
    static var noun: String { get }

    /// The name as text; a valid ``Name``.
    var value: String { get }

    /// - Returns: `nil` if the text is not a valid name; ``Name/problem(with:)`` describes why.
    init?(_ value: String)
}

extension NamedIdentifier {
    public var description: String { value }

    public init(from decoder: any Decoder) throws {
        let text = try decoder.singleValueContainer().decode(String.self)
        guard let identifier = Self(text) else {
            throw DecodingError.dataCorrupted(
                .init(
                    codingPath: decoder.codingPath,
                    debugDescription: "the \(Self.noun)'s name \(Name.problem(with: text) ?? "is wrong")"))
        }
        self = identifier
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(value)
    }
}

/// The identity of a channel, as users write it (`general`).
public struct ChannelID: NamedIdentifier {
    public static let noun = "channel"
    /// The channel's name as text.
    public let value: String

    public init?(_ value: String) {
        guard Name.problem(with: value) == nil else { return nil }
        self.value = value
    }
}

/// The identity of a user on a server.
public struct UserID: NamedIdentifier {
    public static let noun = "user"
    /// The user's name as text.
    public let value: String

    public init?(_ value: String) {
        guard Name.problem(with: value) == nil else { return nil }
        self.value = value
    }
}

/// A name chosen by users: 1 to `Limits.nameBytesMax` bytes of letters, digits, `.`, `_`, `-`, `@`, `:`.
///
/// The same rule holds for channels and users, on the client and on the hub.
public enum Name {
    /// Describes the problem with `text` as a name, in words that follow "the name", such as `is empty`; `nil` if it is
    /// valid.
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
                return "contains a character other than letters, digits and . _ - @ :"
            }
        }
        if text == "." || text == ".." { return "is a path, not a name" }
        return nil
    }
}
