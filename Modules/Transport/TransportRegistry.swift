public import CausewayModels

/// Maps address schemes to transports: the only list of schemes. Adding a transport changes no other module.
public struct TransportRegistry: Sendable {
    /// Creates a transport to `address` with the account's `token`. Does no network I/O yet.
    public typealias Factory =
        @Sendable (_ address: String, _ token: AccessToken) throws(TransportError) -> any Transport

    private var factories: [String: Factory] = [:]

    /// Creates a registry without schemes; register at least one before a login.
    public init() {}

    /// The registered schemes, sorted, without the colon.
    public var schemes: [String] { factories.keys.sorted() }

    /// Registers `factory` for addresses that begin with `scheme:`, lower case; replaces an earlier one.
    public mutating func register(_ scheme: String, _ factory: @escaping Factory) {
        factories[scheme] = factory
    }

    /// Creates the transport for an address.
    ///
    /// Throws ``TransportError/actionRequired(_:)`` if no transport is registered for the address's scheme. The error
    /// lists the registered ones, and never repeats the address, which may contain a password.
    public func makeTransport(to address: String, token: AccessToken) throws(TransportError) -> any Transport {
        let scheme = address.prefix { $0 != ":" }.lowercased()
        guard address.contains(":"), let factory = factories[scheme] else {
            throw .actionRequired(ActionRequired(cause: .protocolMismatch, detail: problem))
        }
        return try factory(address, token)
    }

    private var problem: String {
        guard !schemes.isEmpty else { return "no transport for the address: none is registered" }
        let prefixes = schemes.map { $0 + "://" }.joined(separator: ", ")
        return "no transport for the address; it must begin with \(prefixes)"
    }
}
