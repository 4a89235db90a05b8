/// An identifier that people choose and write: a ``Name``.
public protocol NamedIdentifier: Sendable, Hashable, Codable, LosslessStringConvertible {
    /// What it names, for errors: `channel`.
    static var noun: String { get }

    var value: String { get }

    /// - Returns: `nil` when the text is no name; ``Name/problem(with:)`` says why.
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
