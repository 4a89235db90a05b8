/// The identity of a channel, as people write it (`general`).
public struct ChannelID: Sendable, Hashable {
    public let value: String

    /// - Returns: `nil` when the text is no name; ``Name/problem(with:)`` says why.
    public init?(_ value: String) {
        guard Name.problem(with: value) == nil else { return nil }
        self.value = value
    }
}

extension ChannelID: Codable, LosslessStringConvertible {
    public var description: String { value }
    public init(from decoder: any Decoder) throws {
        let text = try decoder.singleValueContainer().decode(String.self)
        guard let channel = ChannelID(text) else {
            throw DecodingError.dataCorrupted(
                .init(
                    codingPath: decoder.codingPath,
                    debugDescription: "the channel's name \(Name.problem(with: text) ?? "is wrong")"))
        }
        self = channel
    }
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(value)
    }
}
