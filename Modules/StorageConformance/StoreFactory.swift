public import CausewayStorage

/// Creates the stores that the suite examines.
public struct StoreFactory: Sendable {
    /// Creates a new, empty store that has not been started.
    public var make: @Sendable (OutboxBounds) async throws -> any Store
    /// Ends the store and reopens its data, not yet started, as the next process would.
    public var reopen: @Sendable (any Store) async throws -> any Store

    /// The number of generated histories that the store is tested with. A store on a disk takes longer.
    public var histories: Int

    /// Creates a factory; fewer histories make the suite shorter, and find less.
    public init(
        histories: Int = 300, make: @escaping @Sendable (OutboxBounds) async throws -> any Store,
        reopen: @escaping @Sendable (any Store) async throws -> any Store
    ) {
        self.histories = histories
        self.make = make
        self.reopen = reopen
    }
}

/// A violation of one of the port's guarantees.
public struct ConformanceFailure: Error, CustomStringConvertible {
    /// A description of the violation.
    public let detail: String
    /// The source file of the rule.
    public let file: String
    /// The line of the rule.
    public let line: Int

    public var description: String { "\(detail) (\(file):\(line))" }
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
