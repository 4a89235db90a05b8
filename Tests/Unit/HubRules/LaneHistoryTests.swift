import CausewayHubRules
import CausewayModels
import Testing

/// One lane under a network that repeats, reorders and loses, checked against the invariants of every history.
///
/// The rules are passed in as a function, so that broken ones can be planted: each must be caught, or the invariants
/// prove nothing.
@Suite struct LaneHistoryTests {
    typealias Decide =
        @Sendable (
            inout LaneRules, LaneRules.Kind, Int64, Int64, LaneRules.Known, () -> LaneRules.Verdict
        ) -> LaneRules.Decision

    /// The lane's environment: a chain of operations, as one client would transmit them.
    private struct World {
        var random: SplitMix64
        var accepted: [Int: ServerPosition] = [:]
        var history: [(message: Int, sequence: Int64)] = []
        var fenced: Set<Int> = []
        var mark: Int64 = 0
        var problems: Set<String> = []

        struct Operation {
            let kind: LaneRules.Kind
            let sequence: Int64
            let previous: Int64
            let message: Int
        }

        /// Sequences increase by 1 to 3, because some were deleted before they were ever transmitted.
        mutating func chain(_ count: Int) -> [Operation] {
            var previous: Int64 = 0
            return (0..<count).map { message in
                let sequence = previous + Int64.random(in: 1...3, using: &random)
                defer { previous = sequence }
                return Operation(
                    kind: Int.random(in: 0..<8, using: &random) == 0 ? .fence : .send, sequence: sequence,
                    previous: previous, message: message)
            }
        }

        mutating func deliver(_ operations: some Sequence<Operation>, _ decide: Decide) -> [LaneRules.Decision] {
            var lane = LaneRules(mark: mark)
            var decisions: [LaneRules.Decision] = []
            var hasStopped = false
            for operation in operations {
                let known = accepted[operation.message].map { LaneRules.Known.accepted($0) } ?? .no
                let isBusy = Int.random(in: 0..<10, using: &random) == 0
                let isBad = operation.message % 11 == 3
                let decision = decide(&lane, operation.kind, operation.sequence, operation.previous, known) {
                    if isBad { return .refuse(code: "bad", detail: "") }
                    return isBusy ? .tryLater(code: "busy", detail: "", after: nil) : .fine
                }
                check(decision, operation, hasStopped: hasStopped, isBad: isBad)
                switch decision {
                case .respond(.gap), .respond(.tryLater): hasStopped = true
                default: break
                }
                decisions.append(decision)
            }
            if lane.mark < mark { problems.insert("the mark went back") }
            mark = lane.mark
            return decisions
        }

        private mutating func check(
            _ decision: LaneRules.Decision, _ operation: Operation, hasStopped: Bool, isBad: Bool
        ) {
            if hasStopped, decision != .respond(.notAttempted) { problems.insert("went on after a stop") }
            switch decision {
            case .apply:
                if accepted[operation.message] != nil { problems.insert("two copies") }
                if fenced.contains(operation.message) { problems.insert("applied behind its fence") }
                if isBad { problems.insert("applied what is refused") }
                if let last = history.last, last.sequence >= operation.sequence { problems.insert("out of order") }
                history.append((operation.message, operation.sequence))
                accepted[operation.message] = ServerPosition(
                    position: Int64(history.count), acceptedAt: Timestamp(milliseconds: 0))
            case .respond(.accepted(let serverPosition)):
                if accepted[operation.message] != serverPosition {
                    problems.insert("a result that is not the stored one")
                }
            case .respond(.fenced):
                if accepted[operation.message] != nil { problems.insert("fenced what is there") }
                fenced.insert(operation.message)
            default: break
            }
        }
    }

    private func history(seed: UInt64, _ decide: Decide) -> World {
        var world = World(random: SplitMix64(seed: seed))
        let chain = world.chain(Int.random(in: 1...30, using: &world.random))
        for _ in 0..<40 {
            let start = Int.random(in: 0..<chain.count, using: &world.random)
            let end = Int.random(in: start...min(start + 8, chain.count), using: &world.random)
            var part = Array(chain[start..<end])
            // A copy of a send that was fenced since, or a fence for a sent operation: same numbers, other kind.
            if Bool.random(using: &world.random) {
                part = part.map { operation in
                    guard Int.random(in: 0..<6, using: &world.random) == 0 else { return operation }
                    return World.Operation(
                        kind: operation.kind == .send ? .fence : .send, sequence: operation.sequence,
                        previous: operation.previous, message: operation.message)
                }
            }
            _ = world.deliver(part, decide)
        }
        // The network recovers: a client that continues from the mark must reach the end.
        for _ in 0..<1000 where world.mark != chain.last?.sequence {
            let rest = chain.drop { $0.sequence <= world.mark }
            _ = world.deliver(rest.prefix(8), decide)
        }
        if world.mark != chain.last?.sequence { world.problems.insert("stuck") }
        for operation in chain
        where operation.kind == .send && operation.message % 11 != 3 && world.accepted[operation.message] == nil
            && !world.fenced.contains(operation.message)
        {
            world.problems.insert("lost")
        }
        return world
    }

    private func problems(_ decide: Decide) -> Set<String> {
        (1...400).reduce(into: []) { $0.formUnion(history(seed: $1, decide).problems) }
    }

    @Test func noHistoryBreaksAnInvariant() {
        #expect(problems(Self.real) == [])
    }

    private static let real: Decide = { lane, kind, sequence, previous, known, verdict in
        lane.decide(kind, sequence: sequence, previous: previous, known: known, verdict: verdict)
    }

    // MARK: - Planted faults

    @Test func forgettingTheGapIsCaught() {
        let found = problems { lane, kind, sequence, previous, known, verdict in
            let claimed = sequence > lane.mark ? lane.mark : previous
            return Self.real(&lane, kind, sequence, claimed, known, verdict)
        }
        #expect(found.contains("lost"))
    }

    @Test func forgettingWhatIsKnownIsCaught() {
        let found = problems { lane, kind, sequence, previous, _, verdict in
            var fresh = LaneRules(mark: min(lane.mark, previous))
            let decision = Self.real(&fresh, kind, sequence, previous, .no, verdict)
            if fresh.mark > lane.mark { lane = fresh }
            return decision
        }
        #expect(found.contains("two copies"))
    }

    @Test func aFenceThatDoesNotHoldIsCaught() {
        let found = problems { lane, kind, sequence, previous, known, verdict in
            if kind == .fence, case .no = known, !lane.isStopped { return .respond(.fenced) }
            return Self.real(&lane, kind, sequence, previous, known, verdict)
        }
        #expect(found.contains("applied behind its fence"))
    }

    @Test func goingOnAfterTryLaterIsCaught() {
        let found = problems { lane, kind, sequence, previous, known, verdict in
            let before = lane.mark
            let decision = Self.real(&lane, kind, sequence, previous, known, verdict)
            if case .respond(.tryLater) = decision {
                lane = LaneRules(mark: before)
                _ = Self.real(&lane, .fence, sequence, previous, .no, verdict)
            }
            return decision
        }
        #expect(found.contains("went on after a stop"))
    }

    @Test func takingLateCopiesIsCaught() {
        let found = problems { lane, kind, sequence, previous, known, verdict in
            let decision = Self.real(&lane, kind, sequence, previous, known, verdict)
            if case .respond(.late) = decision { return .apply }
            return decision
        }
        #expect(found.isSuperset(of: ["applied behind its fence", "out of order"]))
    }
}
