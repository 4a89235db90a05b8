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
