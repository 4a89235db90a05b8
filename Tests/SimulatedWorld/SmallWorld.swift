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

        var round: DeliveryRound
        var delivery: Delivery
        var stage: Stage
        /// True while the client waits for the response.
        var isAwaited: Bool
        /// True while the process that sent it runs.
        var isOfThisProcess: Bool
    }

    let size: Size
    let sabotage: Sabotage?
    var store: ModelStore
    var outbox: Outbox?
    var hub: ModelHub
    var oracle = HubOracle()
    var ledger = Ledger()
    var waiting: Set<MessageID> = []
    var wire: [Parcel] = []
    var isProbing = false
    var hasSession = true
    var created = 0
    var faultsLeft: Int
    var actsLeft: Int
    var vanishedCount = 0
    /// A description of the first violated invariant.
    var violation: String?

    static let wall = Timestamp(milliseconds: 1_700_000_000_000)

    package init(_ size: Size, sabotage: Sabotage? = nil) {
        self.size = size
        self.sabotage = sabotage
        store = ModelStore(outboxID: OutboxID(UUIDv7(high: 1, low: 1)), sabotage: sabotage)
        store.keepsHistory = false
        hub = ModelHub(sabotage: sabotage?.ofHub)
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
        configuration.attentionProbeInterval = .seconds(1)
        return configuration
    }

    /// The message with this number; the first one is 1.
    static func message(_ number: Int) -> MessageID { Cast.message(number) }

    // MARK: - The judge

    var judge: Judge { Judge(ledger: ledger, hub: hub, configuration: configuration) }

    var suspect: Suspect {
        Suspect(
            store: store, outbox: outbox, waiting: waiting, vanishedCount: vanishedCount, isShared: false,
            isAtRest: true)
    }

    /// Checks the final invariants of a world in which no good step is left.
    func brokenAtTheEnd() -> String? {
        if store.hasEntries { return "it stalls with \(store.entries.map(\.told))" }
        if created < size.lanes.count { return "nobody creates what is left" }
        let judge = judge
        for id in ledger.created {
            guard let record = ledger.records[id] else { continue }
            if let broken = judge.brokenAtTheEnd(id, record, in: suspect) { return broken }
        }
        let untold = waiting.filter { store.messages[$0]?.isParked != true }
        if !untold.isEmpty { return "nobody is told about \(untold.map(\.value.low).sorted())" }
        return judge.outOfCreationOrder()
    }

    // MARK: - Equal worlds

    /// Removes the irrelevant parts of the state: the time, the numbers of rounds, the order of parcels.
    mutating func makeCanonical(at now: MonotonicTime) {
        let known = (outbox?.roundsUnderWay ?? []) + wire.filter(\.isOfThisProcess).map(\.round.id)
        var numbers: [Int: Int] = [:]
        for number in known.sorted() where numbers[number] == nil { numbers[number] = numbers.count + 1 }
        outbox = outbox?.canonical(at: now, rounds: numbers)
        for index in wire.indices { wire[index].round.id = numbers[wire[index].round.id] ?? 0 }
        for index in wire.indices where !wire[index].isOfThisProcess { wire[index].round.id = 0 }
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
        return (round.id, stage + (isAwaited ? 1 : 0), round.epoch, round.operations.first?.sequence ?? 0)
    }
}
