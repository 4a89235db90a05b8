/// The identity of a message: chosen at creation, committed before the first byte leaves, never changed.
/// It is also the idempotency key on the server.
public struct MessageID: Sendable, Hashable {
    public let value: UUIDv7
    public init(_ value: UUIDv7) { self.value = value }
}

extension MessageID: Codable, LosslessStringConvertible {
    public init?(_ description: String) {
        guard let value = UUIDv7(description) else { return nil }
        self.init(value)
    }
    public var description: String { value.description }
    public init(from decoder: any Decoder) throws { self.init(try UUIDv7(from: decoder)) }
    public func encode(to encoder: any Encoder) throws { try value.encode(to: encoder) }
}
