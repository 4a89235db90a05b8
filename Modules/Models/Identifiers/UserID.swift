/// The identity of a user on a server.
public struct UserID: Sendable, Hashable {
    public let value: String

    /// - Returns: `nil` when the text is no name; ``Name/problem(with:)`` says why.
    public init?(_ value: String) {
        guard Name.problem(with: value) == nil else { return nil }
        self.value = value
    }
}

extension UserID: Codable, LosslessStringConvertible {
    public var description: String { value }
    public init(from decoder: any Decoder) throws {
        let text = try decoder.singleValueContainer().decode(String.self)
        guard let user = UserID(text) else {
            throw DecodingError.dataCorrupted(
                .init(
                    codingPath: decoder.codingPath,
                    debugDescription: "the user's name \(Name.problem(with: text) ?? "is wrong")"))
        }
        self = user
    }
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(value)
    }
}
