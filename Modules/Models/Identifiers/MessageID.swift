/// The identity of a message: chosen at creation, committed before the first byte is sent, never changed. It is also
/// the idempotency key on the server.
public struct MessageID: UUIDIdentifier {
    public let value: UUIDv7
    public init(_ value: UUIDv7) { self.value = value }
}
