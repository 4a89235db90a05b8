/// The guarantees of `HubStorage` as rules that any implementation can be tested against.
///
/// A test target runs each rule against its storage:
///
/// ```swift
/// @Test(arguments: HubStorageConformance.rules)
/// func keeps(_ rule: HubStorageConformance.Rule) async throws { try await rule.run(factory) }
/// ```
package enum HubStorageConformance {
    /// One guarantee, and the check for it.
    package struct Rule: Sendable, CustomStringConvertible {
        package let name: String
        private let examine: @Sendable (HubStorageFactory) async throws -> Void

        init(_ name: String, _ examine: @escaping @Sendable (HubStorageFactory) async throws -> Void) {
            self.name = name
            self.examine = examine
        }

        package var description: String { name }

        /// Returns if the storage keeps the guarantee.
        ///
        /// - Throws: ``ConformanceFailure`` otherwise.
        package func run(_ factory: HubStorageFactory) async throws(ConformanceFailure) {
            do {
                try await examine(factory)
            } catch let failure as ConformanceFailure {
                throw failure
            } catch {
                throw ConformanceFailure(detail: "\(name): it threw \(error)", file: #fileID, line: #line)
            }
        }
    }

    /// All rules. Each creates its own storages.
    package static let rules: [Rule] =
        accountRules + recordRules + historyRules + deliveryRules + messageRules + changesRules + eventRules
        + eventRightsRules + eventCursorRules + uploadRules + blobRules + randomRules

    /// The rule with this name.
    package static func rule(_ name: String) -> Rule? { rules.first { $0.name == name } }
}
