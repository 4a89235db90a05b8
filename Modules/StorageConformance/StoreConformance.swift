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
    /// One guarantee of a store, and the check for it.
    public typealias Rule = ConformanceRule<StoreFactory>

    /// All rules. Each creates its own stores.
    public static let rules: [Rule] =
        lifecycleRules + enqueueRules + mutationRules + feedRules + pageRules + startRules + accountRules
        + uploadRules + concurrencyRules + historyRules + recordRules + eventRules + retentionRules
        + deletedMessageRules

    /// The rule with this name.
    public static func rule(_ name: String) -> Rule? { rules.first { $0.name == name } }
}
