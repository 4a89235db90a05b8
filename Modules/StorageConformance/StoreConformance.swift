import CausewayStorage

/// Everything that ``Store`` promises, as rules that any implementation can be held to.
///
/// A test target runs each rule against its store:
///
/// ```swift
/// @Test(arguments: StoreConformance.rules)
/// func keeps(_ rule: StoreConformance.Rule) async throws { try await rule.run(factory) }
/// ```
package enum StoreConformance {
    /// One promise, and the way to examine it.
    package struct Rule: Sendable, CustomStringConvertible {
        package let name: String
        /// True for a rule that makes hundreds of stores.
        package let isLong: Bool
        private let examine: @Sendable (StoreFactory) async throws -> Void

        init(
            _ name: String, isLong: Bool = false, _ examine: @escaping @Sendable (StoreFactory) async throws -> Void
        ) {
            self.name = name
            self.isLong = isLong
            self.examine = examine
        }

        package var description: String { name }

        /// Returns when the store keeps the promise.
        package func run(_ factory: StoreFactory) async throws(ConformanceFailure) {
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

    /// All rules. Each makes its own stores.
    package static let rules: [Rule] =
        lifecycleRules + enqueueRules + mutationRules + feedRules + pageRules + beginRules + accountRules
        + concurrencyRules + historyRules

    /// The rule with this name.
    package static func rule(_ name: String) -> Rule? { rules.first { $0.name == name } }
}
