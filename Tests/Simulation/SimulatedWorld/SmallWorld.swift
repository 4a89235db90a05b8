package import CausewayModels
import CausewayOutbox
import CausewaySimulatedHub
import CausewayStorage

/// A world small enough for an exhaustive exploration: one client, a few messages, one hub, and the parcels in flight
/// between them. A value: a step makes another world.
///
/// The machines and the judge's rules are real, as in ``SimulatedWorld``. There is no randomness and no clock but the
/// machine's own deadlines; worlds that differ only in the times of events are made equal.
package struct SmallWorld: Hashable, Sendable {
    /// The bounds of the world; each multiplies its size.
    package struct Size: Hashable, Sendable {
        /// The lanes of the messages, in the order of their creation.
        package var lanes: [LaneID]
        package var faults: Int
        /// The number of deletions and resends.
        package var acts: Int
        package var deliveriesInFlightMax: Int
        package var batchOperationsMax: Int
        package var retriesMax = 1
        /// The parents of replies, by the numbers of the messages.
        package var parents: [Int: Int] = [:]
        package var headFailure = HeadFailurePolicy.continue
        /// The time after which a waiting message fails.
        package var expiry: Duration?
        /// Whether users log out, which counts as a fault, and in again.
        package var hasSessions = false
        /// Whether requests and probes may fail with an error that only time repairs.
        package var hasAttention = false

        package init(
            lanes: [LaneID] = [.text, .text, .media], faults: Int, acts: Int, deliveriesInFlightMax: Int,
            batchOperationsMax: Int
        ) {
            self.lanes = lanes
            self.faults = faults
            self.acts = acts
            self.deliveriesInFlightMax = deliveriesInFlightMax
            self.batchOperationsMax = batchOperationsMax
        }
    }

    /// A request, or its response, in flight.
    struct Parcel: Hashable {
        enum Stage: Hashable {
            case request
            case answer(Result<DeliveryReport, TransportError>)
            /// Lost; its client has not noticed.
            case lost
        }

        var batch: Batch
        var delivery: Delivery
        var stage: Stage
        /// True while the client waits for the response.
        var isAwaited: Bool
        /// True while the process that sent it runs.
        var isOfThisProcess: Bool
    }

    let size: Size
    let plantedFault: PlantedFault?
    var store: ModelStore
    var outbox: Outbox?
    var hub: ModelHub
    var oracle = HubOracle()
    var expected = ExpectedState()
    var waiting: Set<MessageID> = []
    var wire: [Parcel] = []
    var isProbing = false
    var hasSession = true
    var created = 0
    var faultsLeft: Int
    var actsLeft: Int
    var removedCount = 0
    /// A description of the first violated invariant.
    var violation: String?

    static let wall = Timestamp(milliseconds: 1_700_000_000_000)

    package init(_ size: Size, plantedFault: PlantedFault? = nil) {
        self.size = size
        self.plantedFault = plantedFault
        store = ModelStore(outboxID: OutboxID(UUIDv7(high: 1, low: 1)), plantedFault: plantedFault)
        store.keepsHistory = false
        hub = ModelHub(plantedFault: plantedFault?.ofHub)
        faultsLeft = size.faults
        actsLeft = size.acts
        start(.resume)
        makeCanonical(at: .zero)
    }

    var configuration: OutboxConfiguration {
        var configuration = OutboxConfiguration()
        // The same length for every pause: deadlines at the same time differ by order alone.
        configuration.retry = RetryPolicy(interval: .seconds(1), retriesMax: size.retriesMax, jitterPercent: 0)
        configuration.probeInterval = .seconds(1)
        configuration.probeIntervalMax = .seconds(1)
        configuration.settlingTime = .seconds(1)
        configuration.stableAfter = .zero
        configuration.deliveriesInFlightMax = size.deliveriesInFlightMax
        configuration.batchOperationsMax = size.batchOperationsMax
        configuration.headFailure = size.headFailure
        configuration.expiry = size.expiry
        configuration.recoveryProbeInterval = .seconds(1)
        return configuration
    }

    /// The message with this number; the first one is 1.
    static func message(_ number: Int) -> MessageID { WorldNames.message(number) }

    // MARK: - The judge

    var outboxOracle: OutboxOracle<SmallWorld> { OutboxOracle(world: self) }

    /// Its client.
    struct Client: Candidate {
        var store: ModelStore
        var machine: Machine?
        var waiting: Set<MessageID>
        var removedCount: Int
        var isShared: Bool { false }
        var hasPerformedAll: Bool { true }
        var history: ServerHistory? { nil }
    }

    var candidate: Client {
        Client(store: store, machine: outbox.map(Machine.init), waiting: waiting, removedCount: removedCount)
    }

    /// Checks the final invariants of a world in which no good step is left.
    func brokenAtTheEnd() -> String? {
        if store.hasEntries { return "it stalls with \(store.entries.map(\.told))" }
        if created < size.lanes.count { return "nobody creates what is left" }
        let outboxOracle = outboxOracle
        for id in expected.created {
            guard let record = expected.records[id] else { continue }
            if let broken = outboxOracle.brokenAtTheEnd(id, record, in: candidate) { return broken }
        }
        let untold = waiting.filter { store.items[$0]?.isParked != true }
        if !untold.isEmpty { return "nobody is told about \(untold.map(\.value.low).sorted())" }
        return outboxOracle.outOfCreationOrder()
    }

    // MARK: - Equal worlds

    /// Removes the irrelevant parts of the state: the time, the numbers of batches, the order of parcels.
    mutating func makeCanonical(at now: MonotonicTime) {
        let known = (outbox?.batchesUnderWay ?? []) + wire.filter(\.isOfThisProcess).map(\.batch.id)
        var numbers: [Int: Int] = [:]
        for number in known.sorted() where numbers[number] == nil { numbers[number] = numbers.count + 1 }
        outbox = outbox?.canonical(at: now, batches: numbers)
        for index in wire.indices { wire[index].batch.id = numbers[wire[index].batch.id] ?? 0 }
        for index in wire.indices where !wire[index].isOfThisProcess { wire[index].batch.id = 0 }
        wire.sort { $0.rank < $1.rank }
    }
}

extension SmallWorld.Parcel {
    fileprivate var rank: (Int, Int, Int64, Int64) {
        let stage =
            switch self.stage {
            case .request: 0
            case .answer: 2
            case .lost: 4
            }
        return (batch.id, stage + (isAwaited ? 1 : 0), batch.epoch, batch.operations.first?.sequence ?? 0)
    }
}

extension SmallWorld: JudgedWorld {
    func heard(_ finding: String?) -> String? { finding }
}
