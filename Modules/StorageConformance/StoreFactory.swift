package import CausewayStorage

/// How the suite gets the stores that it examines.
package struct StoreFactory: Sendable {
    /// Makes a new, empty store that has not begun.
    package var make: @Sendable (OutboxBounds) async throws -> any Store
    /// Ends the store and opens what it left, not begun, as the next process would.
    package var reopen: @Sendable (any Store) async throws -> any Store

    /// How many drawn histories the store lives through. One that lies on a disk takes its time.
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
