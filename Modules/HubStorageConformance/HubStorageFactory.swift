package import CausewayHubStorage

/// Creates the storages that the suite examines.
package struct HubStorageFactory: Sendable {
    /// Creates the storage of a new hub.
    package var make: @Sendable () async throws -> any HubStorage
    /// Ends the storage and reopens its content, as the next process would.
    package var reopen: @Sendable (any HubStorage) async throws -> any HubStorage

    package init(
        make: @escaping @Sendable () async throws -> any HubStorage,
        reopen: @escaping @Sendable (any HubStorage) async throws -> any HubStorage
    ) {
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

/// Throws unless the call throws an error that fits.
func requireError(
    _ what: String, _ fits: (HubStorageError) -> Bool, file: String = #fileID, line: Int = #line,
    _ call: () async throws -> Void
) async throws {
    do {
        try await call()
    } catch let error as HubStorageError {
        return try require(fits(error), "\(what) threw \(error)", file: file, line: line)
    }
    throw ConformanceFailure(detail: "\(what) threw nothing", file: file, line: line)
}

/// Throws unless the call throws this error.
func requireError(
    _ expected: HubStorageError, _ what: String, file: String = #fileID, line: Int = #line,
    _ call: () async throws -> Void
) async throws {
    try await requireError(what, { $0 == expected }, file: file, line: line, call)
}

extension HubStorageError {
    var isRecovering: Bool { if case .recovering = self { true } else { false } }
    var isTooMany: Bool { if case .tooMany = self { true } else { false } }
}
