/// The identity of a store's outbox: made with the store, kept through every login.
public struct OutboxID: UUIDIdentifier {
    public let value: UUIDv7
    public init(_ value: UUIDv7) { self.value = value }
}
