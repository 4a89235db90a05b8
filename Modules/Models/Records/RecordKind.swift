/// The kind of a record: `channel`, `channelMember`.
public struct RecordKind: NamedIdentifier {
    public static let noun = "record kind"
    /// The name of the kind as text, on disk and on the wire.
    public let value: String

    public init?(_ value: String) {
        guard Name.problem(with: value) == nil else { return nil }
        self.value = value
    }
}

extension RecordKind: ExpressibleByStringLiteral {
    /// - Precondition: the literal is a valid name.
    public init(stringLiteral value: StaticString) {
        guard let kind = RecordKind("\(value)") else { preconditionFailure("invalid record kind") }
        self = kind
    }
}
