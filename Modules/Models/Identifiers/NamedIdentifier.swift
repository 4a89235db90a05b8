/// An identifier that users choose and write: a ``Name``.
public protocol NamedIdentifier: Sendable, Hashable, Codable, LosslessStringConvertible {
    /// The kind of the named thing, for errors: `channel`.
    static var noun: String { get }

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
