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

/// The identity of a message: chosen at creation, committed before the first byte is sent, never changed. It is also
/// the idempotency key on the server.
public struct MessageID: UUIDIdentifier {
    public let value: UUIDv7
    public init(_ value: UUIDv7) { self.value = value }
}

/// The identity of one opening of a store: new each time, so that two copies of a store never share one.
public struct OpeningID: UUIDIdentifier {
    public let value: UUIDv7
    public init(_ value: UUIDv7) { self.value = value }
}

/// The identity of a store's outbox: created with the store, kept across logins.
public struct OutboxID: UUIDIdentifier {
    public let value: UUIDv7
    public init(_ value: UUIDv7) { self.value = value }
}

/// The identity of one login of one user on one store.
public struct SessionID: UUIDIdentifier {
    public let value: UUIDv7
    public init(_ value: UUIDv7) { self.value = value }
}
