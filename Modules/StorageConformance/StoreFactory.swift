package import CausewayStorage

/// Creates the stores that the suite examines.
package struct StoreFactory: Sendable {
    /// Creates a new, empty store that has not been started.
    package var make: @Sendable (OutboxBounds) async throws -> any Store
    /// Ends the store and reopens its data, not yet started, as the next process would.
    package var reopen: @Sendable (any Store) async throws -> any Store

    /// The number of generated histories that the store is tested with. A store on a disk takes longer.
    package var histories: Int

    package init(
        histories: Int = 300, make: @escaping @Sendable (OutboxBounds) async throws -> any Store,
        reopen: @escaping @Sendable (any Store) async throws -> any Store
    ) {
        self.histories = histories
        self.make = make
        self.reopen = reopen
    }
}
