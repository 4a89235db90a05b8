/// The identity of one opening of a store: new each time, so that two copies of a store never share one.
public struct OpeningID: UUIDIdentifier {
    public let value: UUIDv7
    public init(_ value: UUIDv7) { self.value = value }
}
