package import Causeway

/// The store and the transports of a program; chosen by the program, not by this module.
package struct AdapterFactory: Sendable {
    package typealias OpenStore =
        @Sendable (_ folder: String, _ durability: Settings.Durability) async throws(StoreError) -> any Store
    package typealias MakeTransports = @Sendable (_ settings: Settings, _ trust: any TrustStore) -> TransportRegistry

    let openStore: OpenStore
    let makeTransports: MakeTransports

    package init(openStore: @escaping OpenStore, makeTransports: @escaping MakeTransports) {
        self.openStore = openStore
        self.makeTransports = makeTransports
    }
}
