/// The identity of a store's outbox: created with the store, kept across logins.
public struct OutboxID: UUIDIdentifier {
    public let value: UUIDv7
    public init(_ value: UUIDv7) { self.value = value }
}
