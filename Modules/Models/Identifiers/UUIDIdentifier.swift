/// An identifier that is a UUID, written and coded in its 36-character form.
public protocol UUIDIdentifier: Sendable, Hashable, Codable, LosslessStringConvertible {
    var value: UUIDv7 { get }
    init(_ value: UUIDv7)
}

extension UUIDIdentifier {
    /// - Returns: `nil` for anything but 36 characters like `0190a6b2-1c3d-7e4f-8a5b-…`, upper or lower case.
    public init?(_ description: String) {
        guard let value = UUIDv7(description) else { return nil }
        self.init(value)
    }

    public var description: String { value.description }

    public init(from decoder: any Decoder) throws { self.init(try UUIDv7(from: decoder)) }

    public func encode(to encoder: any Encoder) throws { try value.encode(to: encoder) }
}
