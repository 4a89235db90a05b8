/// The identity of one login of one user on one store.
public struct SessionID: UUIDIdentifier {
    public let value: UUIDv7
    public init(_ value: UUIDv7) { self.value = value }
}
