import CausewayModels
import CausewayOutbox
import CausewaySimulatedHub

/// Explores every state of a small world, breadth first: everything that can happen next happens, in every order.
///
/// Checks the invariants at every state, and liveness: each state has one good step, which is explored like every
/// other; following those from any state must lead to an end, where the final invariants must hold.
package struct Explorer {
    package struct Outcome: Sendable {
        package var states = 0
        /// Steps taken, including those to known states.
        package var transitions = 0
        /// Steps from the start to the farthest state.
        package var depth = 0
        /// States in which nothing is left to do.
        package var ends = 0
        package var violation: String?
        /// The shortest path to the violation.
        package var history: [String] = []
    }

    private struct Node {
        var parent: Int32
        var step: SmallWorld.Step
        /// The hash of the state that its good step leads to; `nil` at an end.
        var good: Int?
    }

    /// The successors of one state.
    private struct Expansion: Sendable {
        var index: Int
        var next: [(step: SmallWorld.Step, world: SmallWorld, hash: Int)]
        var good: Int?
        var endProblem: String?
    }

    private let first: SmallWorld
    private var nodes: [Node] = []
    private var known: [Int: Int32] = [:]
    private var outcome = Outcome()

    private init(_ first: SmallWorld) { self.first = first }

    /// - Parameters:
    ///   - threads: the number of states that are expanded concurrently.
    ///   - progress: called after each level with the number of states found so far and of those to expand next.
    package static func explore(
        _ size: SmallWorld.Size, plantedFault: PlantedFault? = nil, threads: Int,
        progress: (Int, Int) -> Void = { _, _ in }
    ) async -> Outcome {
        var explorer = Explorer(SmallWorld(size, plantedFault: plantedFault))
        await explorer.run(threads, progress)
        return explorer.outcome
    }

    private mutating func run(_ threads: Int, _ progress: (Int, Int) -> Void) async {
        var frontier = [(index: 0, world: first)]
        nodes.append(Node(parent: -1, step: .create, good: nil))
        known[first.hashValue] = 0
        while !frontier.isEmpty {
            var next: [(index: Int, world: SmallWorld)] = []
            for start in stride(from: 0, to: frontier.count, by: 4096) {
                let chunk = Array(frontier[start..<min(start + 4096, frontier.count)])
                for expansion in await Self.expand(chunk, threads) {
                    if !take(expansion, &next) { return }
                }
            }
            outcome.depth += next.isEmpty ? 0 : 1
            outcome.states = nodes.count
            frontier = next
            progress(nodes.count, frontier.count)
        }
        checkGoodEnds()
    }

    /// - Returns: false when an invariant is violated.
    private mutating func take(_ expansion: Expansion, _ next: inout [(index: Int, world: SmallWorld)]) -> Bool {
        nodes[expansion.index].good = expansion.good
        if expansion.good == nil { outcome.ends += 1 }
        if let problem = expansion.endProblem {
            return fail(problem, at: Int32(expansion.index))
        }
        for (step, world, hash) in expansion.next {
            outcome.transitions += 1
            if known[hash] != nil { continue }
            let index = nodes.count
            known[hash] = Int32(index)
            nodes.append(Node(parent: Int32(expansion.index), step: step, good: nil))
            if let violation = world.violation { return fail(violation, at: Int32(index)) }
            next.append((index, world))
        }
        return true
    }

    // MARK: - One state

    private static func expand(_ chunk: [(index: Int, world: SmallWorld)], _ threads: Int) async -> [Expansion] {
        let size = max(1, (chunk.count + threads - 1) / threads)
        return await withTaskGroup(of: (Int, [Expansion]).self) { group in
            for start in stride(from: 0, to: chunk.count, by: size) {
                let part = Array(chunk[start..<min(start + size, chunk.count)])
                group.addTask { (start, part.map { expand($0.index, $0.world) }) }
            }
            // In the order of the states, so that every run numbers them alike.
            var parts: [(Int, [Expansion])] = []
            for await part in group { parts.append(part) }
            return parts.sorted { $0.0 < $1.0 }.flatMap(\.1)
        }
    }

    private static func expand(_ index: Int, _ world: SmallWorld) -> Expansion {
        let goodStep = world.goodStep
        var expansion = Expansion(index: index, next: [], good: nil)
        if goodStep == nil { expansion.endProblem = world.brokenAtTheEnd() }
        for step in world.steps {
            let (next, actions) = world.after(step)
            let hash = next.hashValue
            expansion.next.append((step, next, hash))
            if step == goodStep { expansion.good = hash }
            guard world.faultsLeft > 0, actions > 0 else { continue }
            for policy in RestartPolicy.allCases {
                for done in 0..<actions {
                    guard let cut = step.cut(SmallWorld.Cut(actions: done, policy: policy)) else { continue }
                    let (next, _) = world.after(cut)
                    expansion.next.append((cut, next, next.hashValue))
                }
            }
        }
        return expansion
    }

    // MARK: - Liveness

    /// Checks that the good steps lead from every state to an end, without cycles.
    private mutating func checkGoodEnds() {
        var isSound = [UInt8](repeating: 0, count: nodes.count)
        for start in nodes.indices where isSound[start] == 0 {
            var path: [Int] = []
            var current: Int? = start
            while let index = current, isSound[index] == 0 {
                isSound[index] = 1
                path.append(index)
                current = nodes[index].good.flatMap { known[$0] }.map(Int.init)
            }
            if let ring = current, isSound[ring] == 1 {
                _ = fail("what waits never ends, although all goes well from here", at: Int32(ring))
                return
            }
            for index in path { isSound[index] = 2 }
        }
    }

    // MARK: - Stories

    private mutating func fail(_ violation: String, at index: Int32) -> Bool {
        outcome.violation = violation
        outcome.states = nodes.count
        var steps: [SmallWorld.Step] = []
        var current = index
        while current > 0 {
            steps.append(nodes[Int(current)].step)
            current = nodes[Int(current)].parent
        }
        var world = first
        for step in steps.reversed() {
            world = world.after(step).world
            outcome.history.append("\(step.told): \(world.told)")
        }
        return false
    }
}

extension SmallWorld.Step {
    fileprivate var told: String { "\(self)".replacing("CausewaySimulatedWorld.SmallWorld.", with: "") }
}

extension SmallWorld {
    /// A one-line summary of the state.
    fileprivate var told: String {
        let links = store.entries.map(\.told).joined(separator: ", ")
        let parcels = wire.map { parcel in
            let operations = parcel.batch.operations.map {
                "\($0.previous)<\($0.sequence) \($0.kind) \($0.message.value.low)"
            }
            let stage =
                switch parcel.stage {
                case .request: "request"
                case .answer(let result): "answer \(result.told)"
                case .lost: "lost"
                }
            return "\(parcel.isAwaited ? "" : "old ")\(stage) [\(operations.joined(separator: ", "))]"
        }
        return "links [\(links)], wire \(parcels), hub \(hub.history.map(\.message.value.low))"
    }
}
