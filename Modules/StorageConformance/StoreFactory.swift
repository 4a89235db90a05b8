package import CausewayStorage

/// How the suite gets the stores that it examines.
package struct StoreFactory: Sendable {
    /// Makes a new, empty store that has not begun.
    package var make: @Sendable (OutboxBounds) async throws -> any Store
    /// Ends the store and opens what it left, not begun, as the next process would.
    package var reopen: @Sendable (any Store) async throws -> any Store

    package init(
        make: @escaping @Sendable (OutboxBounds) async throws -> any Store,
        reopen: @escaping @Sendable (any Store) async throws -> any Store
    ) {
        self.make = make
        self.reopen = reopen
    }
}
