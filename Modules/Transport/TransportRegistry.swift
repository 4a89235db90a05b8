public import CausewayModels

/// Maps address schemes to transports. Adding a transport changes no other module.
public struct TransportRegistry: Sendable {
    /// Creates a transport to `address` with the account's `token`. Does no network I/O yet.
    public typealias Factory =
        @Sendable (_ address: String, _ token: AccessToken) throws(TransportError) -> any Transport

    private var factories: [String: Factory] = [:]

    public init() {}

    /// Registers `factory` for addresses that begin with `scheme:`, lower case.
    public mutating func register(_ scheme: String, _ factory: @escaping Factory) {
        factories[scheme] = factory
    }

    /// Creates the transport for an address.
    ///
    /// Throws ``TransportError/actionRequired(_:)`` if no transport is registered for the address's scheme.
    public func makeTransport(to address: String, token: AccessToken) throws(TransportError) -> any Transport {
        let scheme = address.prefix { $0 != ":" }.lowercased()
        guard address.contains(":"), let factory = factories[scheme] else {
            let known = factories.keys.sorted().map { $0 + "://" }.joined(separator: ", ")
            throw .actionRequired(
                ActionRequired(
                    cause: .protocolMismatch,
                    detail: "no transport for the address \(address); it must begin with \(known)"))
        }
        return try factory(address, token)
    }
}
