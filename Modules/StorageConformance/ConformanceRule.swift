/// One guarantee of a port, and the check for it.
public struct ConformanceRule<Factory: Sendable>: Sendable, CustomStringConvertible {
    /// The rule in a sentence.
    public let name: String
    /// True for a rule that creates hundreds of stores.
    public let isLong: Bool
    private let examine: @Sendable (Factory) async throws -> Void

    init(_ name: String, isLong: Bool = false, _ examine: @escaping @Sendable (Factory) async throws -> Void) {
        self.name = name
        self.isLong = isLong
        self.examine = examine
    }

    public var description: String { name }

    /// Returns if what the factory creates keeps the guarantee.
    ///
    /// - Throws: ``ConformanceFailure`` otherwise.
    public func run(_ factory: Factory) async throws(ConformanceFailure) {
        do {
            try await examine(factory)
        } catch let failure as ConformanceFailure {
            throw failure
        } catch {
            throw ConformanceFailure(detail: "\(name): it threw \(error)", file: #fileID, line: #line)
        }
    }
}
