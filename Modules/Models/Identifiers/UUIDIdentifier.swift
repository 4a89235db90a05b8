/// An identifier that is a UUID, written and coded in its 36-character form.
public protocol UUIDIdentifier: Sendable, Hashable, Codable, LosslessStringConvertible {
    /// The UUID itself.
    var value: UUIDv7 { get }
    /// Creates an identifier from a UUID. Any value is valid.
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
    /// The UUID of the message.
    public let value: UUIDv7
    /// Creates the id of a message from a UUID, such as one that another device chose.
    public init(_ value: UUIDv7) { self.value = value }
}

/// The identity of one opening of a store: new each time, so that two copies of a store never share one.
public struct OpeningID: UUIDIdentifier {
    /// The UUID of the opening.
    public let value: UUIDv7
    /// Creates the id of an opening from a UUID.
    public init(_ value: UUIDv7) { self.value = value }
}

/// The identity of a store's outbox: created with the store, kept across logins.
public struct OutboxID: UUIDIdentifier {
    /// The UUID of the outbox.
    public let value: UUIDv7
    /// Creates the id of an outbox from a UUID.
    public init(_ value: UUIDv7) { self.value = value }
}

/// The identity of one login of one user on one store.
public struct SessionID: UUIDIdentifier {
    /// The UUID of the session.
    public let value: UUIDv7
    /// Creates the id of a session from a UUID.
    public init(_ value: UUIDv7) { self.value = value }
}
