/// The identity of one login of one user on one store.
public struct SessionID: Sendable, Hashable {
    public let value: UUIDv7
    public init(_ value: UUIDv7) { self.value = value }
}

extension SessionID: Codable, LosslessStringConvertible {
    public init?(_ description: String) {
        guard let value = UUIDv7(description) else { return nil }
        self.init(value)
    }
    public var description: String { value.description }
    public init(from decoder: any Decoder) throws { self.init(try UUIDv7(from: decoder)) }
    public func encode(to encoder: any Encoder) throws { try value.encode(to: encoder) }
}
