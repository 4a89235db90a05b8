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

/// A violation of one of the port's guarantees.
package struct ConformanceFailure: Error, CustomStringConvertible {
    package let detail: String
    package let file: String
    package let line: Int

    package var description: String { "\(detail) (\(file):\(line))" }
}

/// Throws a ``ConformanceFailure`` unless the condition holds.
func require(
    _ condition: Bool, _ detail: @autoclosure () -> String, file: String = #fileID, line: Int = #line
) throws(ConformanceFailure) {
    guard condition else { throw ConformanceFailure(detail: detail(), file: file, line: line) }
}

/// Throws unless the two values are equal; the error contains both.
func requireEqual<Value: Equatable>(
    _ found: Value, _ expected: Value, _ what: @autoclosure () -> String, file: String = #fileID, line: Int = #line
) throws(ConformanceFailure) {
    guard found != expected else { return }
    throw ConformanceFailure(
        detail: "\(what())\n  found:    \(found)\n  expected: \(expected)", file: file, line: line)
}
