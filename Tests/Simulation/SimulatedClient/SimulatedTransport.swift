import CausewayModels
import CausewayRuntime
import CausewaySimulatedRuntime
import CausewaySimulationKernel
import CausewayTransport
import Synchronization

/// The connection of one process with one token to the hub, through the simulated network.
final class SimulatedTransport: Transport {
    private struct State {
        /// True when its session or process has ended: nothing may be sent any more.
        var isRetired = false
        /// The closures that end the calls in flight.
        var endings: [Int: @Sendable (TransportError) -> Void] = [:]
        var nextCall = 0
        /// True when nothing is sent or received any more.
        var isClosed = false
        /// Planted fault: the last response, and its request.
        var lastReport: DeliveryReport?
    }

    let world: World
    let process: Int
    let token: String
    let capabilities: TransportCapabilities
    private let state = Mutex(State())

    init(world: World, process: Int, token: String) {
        self.world = world
        self.process = process
        self.token = token
        capabilities = TransportCapabilities(
            ordering: .sequenced, deliveriesInFlightMax: world.plan.deliveriesInFlightMax, batchOperationsMax: 100,
            batchBytesMax: 1 << 20, content: ContentLimits(fileBytesMax: world.plan.hasFiles ? 1 << 20 : nil))
    }

    var isRetired: Bool { state.withLock { $0.isRetired } }

    /// Forbids sending: any later request violates an invariant.
    func retire() { state.withLock { $0.isRetired = true } }

    /// Ends the calls of a process that is gone: nothing it sends arrives, and the responses have no reader.
    func die() { endCalls() }

    func close() async { endCalls() }

    private func endCalls() {
        let endings = state.withLock { state in
            state.isClosed = true
            defer { state.endings = [:] }
            return state.endings.sorted { $0.key < $1.key }.map(\.value)
        }
        for end in endings { end(.closed) }
    }

    // MARK: - Calls

    func authenticate(
        knowing history: ServerHistory?, outbox: OutboxID?
    ) async throws(TransportError) -> ServerInfo {
        let serverInfo = try await call { [self] reply in world.authenticate(knowing: history, outbox, self, reply) }
        return told(serverInfo)
    }

    func deliver(_ delivery: Delivery) async throws(TransportError) -> DeliveryReport {
        world.network.openCalls += 1
        world.deliveryBegins(process)
        defer {
            world.network.openCalls -= 1
            world.processes[process].openDeliveries -= 1
        }
        do throws(TransportError) {
            let report = try await call { [self] reply in world.send(delivery, self, reply) }
            world.noteEnd(of: delivery, nil)
            world.noteMarkAhead(report, of: delivery, process)
            if world.lies(.repeatsAfterItsEnd, oneIn: 10) {
                world.after(.seconds(5)) { [self] in world.send(delivery, self, Reply()) }
            }
            return answer(report, to: delivery)
        } catch {
            world.noteEnd(of: delivery, error)
            if world.plan.plantedFault == .takesDoubtForFailure, case .inDoubt(let detail) = error {
                throw .transient(code: "500", detail: detail)
            }
            throw error
        }
    }

    func messages(_ query: RemoteQuery) async throws(TransportError) -> RemotePage {
        var page = try await call { [self] reply in world.ask(query, self, reply) }
        if world.plan.plantedFault == .repeatsPageRequests {
            for _ in 0..<Moments.countMax { page = try await call { [self] reply in world.ask(query, self, reply) } }
        }
        if world.plan.plantedFault == .believesFormerPages { page.history = nil }
        return page
    }

    func changes(_ query: RemoteChangesQuery) async throws(TransportError) -> RemoteChanges? {
        try await call { [self] reply in world.ask(query, self, reply) }
    }

    func lookup(_ id: MessageID) async throws(TransportError) -> ServerPosition? { nil }

    var media: (any MediaStore)? { SimulatedMedia(transport: self) }

    var events: (any EventSource)? { world.plan.hasEvents ? SimulatedEvents(transport: self) : nil }

    func call<Value: Sendable>(
        _ begin: (Reply<Value>) -> Void
    ) async throws(TransportError) -> Value {
        let reply = Reply<Value>()
        let number = state.withLock { state -> Int? in
            guard !state.isClosed else { return nil }
            state.nextCall += 1
            state.endings[state.nextCall] = { reply.end(.failure($0)) }
            return state.nextCall
        }
        guard let number, !Task.isCancelled else { throw .unreachable(detail: "the transport is closed") }
        defer { state.withLock { $0.endings[number] = nil } }
        let timer = world.runtime.schedule(at: world.runtime.now + Plan.callTimeout) {
            reply.end(.failure(.inDoubt(detail: "no answer in time")))
        }
        defer { world.runtime.cancel(timer) }
        begin(reply)
        return try await reply.value()
    }

    /// The server information to return.
    private func told(_ serverInfo: ServerInfo) -> ServerInfo {
        var serverInfo = serverInfo
        if world.plan.plantedFault == .inventsMarks, let marks = serverInfo.marks {
            serverInfo.marks = marks.merging([.text: Limits.sequenceMax - 1]) { $1 }
        }
        return serverInfo
    }

    /// The report to return: the true one, unless a planted fault replaces it.
    private func answer(_ report: DeliveryReport, to delivery: Delivery) -> DeliveryReport {
        if world.plan.plantedFault == .completesShortReports, report.outcomes.count < delivery.operations.count {
            var report = report
            let missing = delivery.operations.count - report.outcomes.count
            report.outcomes += Array(repeating: .refused(code: "400", detail: "missing"), count: missing)
            return report
        }
        if world.plan.plantedFault == .believesFormerAnswers {
            var report = report
            report.history = nil
            return report
        }
        guard world.plan.plantedFault == .answersForAnotherRound else { return report }
        return state.withLock { state in
            defer { state.lastReport = report }
            guard let last = state.lastReport, last.outcomes.count == report.outcomes.count else { return report }
            return last
        }
    }
}
