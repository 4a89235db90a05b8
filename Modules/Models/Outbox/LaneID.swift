/// A FIFO of the outbox. Order is kept within a lane; lanes do not wait for each other, except under
/// ``OrderingPolicy/mediaAfterText``.
public struct LaneID: Sendable, Hashable, RawRepresentable, Codable, CustomStringConvertible {
    public let rawValue: String

    /// - Parameter rawValue: 1 to 200 bytes without control characters; created by an ``OrderingPolicy``.
    public init(rawValue: String) { self.rawValue = rawValue }

    public init(from decoder: any Decoder) throws {
        rawValue = try decoder.singleValueContainer().decode(String.self)
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(rawValue)
    }

    /// Text and custom messages, under ``OrderingPolicy/laned``.
    public static let text = LaneID(rawValue: "text")
    /// Image, video, audio and file messages, under ``OrderingPolicy/laned``.
    public static let media = LaneID(rawValue: "media")
    /// Edits and reactions, under ``OrderingPolicy/laned``.
    public static let operations = LaneID(rawValue: "operations")

    public var description: String { rawValue }
}
