import CausewayTransport

/// The promises of `Transport` as rules that any implementation can be tested against, without a test framework.
///
/// A test target describes its servers as a ``TransportHarness`` and runs each rule against it:
///
/// ```swift
/// @Test(arguments: TransportConformance.rules)
/// func keeps(_ rule: TransportConformance.Rule) async throws { try await rule.run(harness) }
/// ```
public enum TransportConformance {
    /// One promise, and the check for it.
    public struct Rule: Sendable, CustomStringConvertible {
        /// The promise. Stable: a test may refer to a rule by its name.
        public let name: String
        /// The faults that the rule needs; it does not apply to a harness without one of them.
        public let faults: Set<ServerFault.Kind>
        let ordering: OrderingKind
        /// True for a rule about records other than messages; it does not apply to a server without them.
        public let needsRecords: Bool
        /// True for a rule about events; it does not apply to a transport without them.
        public let needsEvents: Bool
        /// True for a rule about typing and presence; it does not apply to a transport without them.
        public let needsEphemeral: Bool
        private let examine: @Sendable (Trial) async throws -> Void

        /// The servers that a rule is about.
        enum OrderingKind: Sendable { case any, sequenced, idempotent }

        init(
            _ name: String, faults: Set<ServerFault.Kind> = [], on ordering: OrderingKind = .any,
            needsRecords: Bool = false, needsEvents: Bool = false, needsEphemeral: Bool = false,
            _ examine: @escaping @Sendable (Trial) async throws -> Void
        ) {
            self.name = name
            self.faults = faults
            self.ordering = ordering
            self.needsRecords = needsRecords
            self.needsEvents = needsEvents
            self.needsEphemeral = needsEphemeral
            self.examine = examine
        }

        public var description: String { name }

        /// Examines a transport to a new server.
        ///
        /// - Returns: false if the rule does not apply to this kind of server, or the harness cannot cause its faults.
        /// - Throws: ``ConformanceFailure`` if the transport breaks the promise.
        @discardableResult
        public func run(_ harness: TransportHarness) async throws(ConformanceFailure) -> Bool {
            guard faults.isSubset(of: harness.faults) else { return false }
            do {
                return try await harness.withServer { server in
                    let trial = Trial(server: server, harness: harness)
                    guard try await trial.isOf(ordering), !needsRecords || server.records != nil else { return false }
                    if needsEvents, try await trial.with(.working, { $0.events == nil }) { return false }
                    if needsEphemeral, try await trial.with(.working, { $0.ephemeral == nil }) { return false }
                    try await examine(trial)
                    return true
                }
            } catch let failure as ConformanceFailure {
                throw ConformanceFailure("\(name): \(failure.detail)", file: failure.file, line: failure.line)
            } catch {
                throw ConformanceFailure("\(name): it threw \(error)")
            }
        }
    }

    /// All rules. Each uses servers of its own.
    public static let rules: [Rule] =
        sessionRules + deliveryRules + faultRules + endingRules + pageRules + sequenceRules + recordRules
        + eventRules + ephemeralRules

    /// The rule with this name.
    public static func rule(_ name: String) -> Rule? { rules.first { $0.name == name } }
}

/// A violation of one of the port's promises.
public struct ConformanceFailure: Error, CustomStringConvertible {
    /// The promise and the observation that breaks it.
    public let detail: String
    /// The place of the check.
    public let file: String
    /// The line of the rule.
    public let line: Int

    init(_ detail: String, file: String = #fileID, line: Int = #line) {
        self.detail = detail
        self.file = file
        self.line = line
    }

    public var description: String { "\(detail) (\(file):\(line))" }
}

/// Throws a ``ConformanceFailure`` unless the condition holds.
func require(
    _ condition: Bool, _ detail: @autoclosure () -> String, file: String = #fileID, line: Int = #line
) throws(ConformanceFailure) {
    guard condition else { throw ConformanceFailure(detail(), file: file, line: line) }
}

/// Throws unless the two values are equal; the error contains both.
func requireEqual<Value: Equatable>(
    _ found: Value, _ expected: Value, _ what: @autoclosure () -> String, file: String = #fileID, line: Int = #line
) throws(ConformanceFailure) {
    guard found != expected else { return }
    throw ConformanceFailure("\(what()) is \(found), not \(expected)", file: file, line: line)
}
