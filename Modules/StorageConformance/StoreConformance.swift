import CausewayStorage

/// The guarantees of ``Store`` as rules that any implementation can be tested against.
///
/// A test target runs each rule against its store:
///
/// ```swift
/// @Test(arguments: StoreConformance.rules)
/// func keeps(_ rule: StoreConformance.Rule) async throws { try await rule.run(factory) }
/// ```
///
/// A store on a disk runs ``diskRules``, too, with a disk below it that can be made to fail.
public enum StoreConformance {
    /// One guarantee, and the check for it.
    public struct Rule: Sendable, CustomStringConvertible {
        /// The rule in a sentence.
        public let name: String
        /// True for a rule that creates hundreds of stores.
        public let isLong: Bool
        private let examine: @Sendable (StoreFactory) async throws -> Void

        init(
            _ name: String, isLong: Bool = false, _ examine: @escaping @Sendable (StoreFactory) async throws -> Void
        ) {
            self.name = name
            self.isLong = isLong
            self.examine = examine
        }

        public var description: String { name }

        /// Returns if the store keeps the guarantee.
        ///
        /// - Throws: ``ConformanceFailure`` otherwise.
        public func run(_ factory: StoreFactory) async throws(ConformanceFailure) {
            do {
                try await examine(factory)
            } catch let failure as ConformanceFailure {
                throw failure
            } catch {
                throw ConformanceFailure(
                    detail: "\(name): it threw \(error)", file: #fileID, line: #line)
            }
        }
    }

    /// All rules. Each creates its own stores.
    public static let rules: [Rule] =
        lifecycleRules + enqueueRules + mutationRules + feedRules + pageRules + startRules + accountRules
        + uploadRules + concurrencyRules + historyRules + recordRules + eventRules + retentionRules
        + deletedMessageRules

    /// The rule with this name.
    public static func rule(_ name: String) -> Rule? { rules.first { $0.name == name } }
}
