import CausewayModels
import CausewayRuntime
import CausewaySimulatedHub
import CausewaySimulatedRuntime
import CausewayTransport
import Synchronization

/// The hub's events, through the simulated network.
struct SimulatedEvents: EventSource {
    let transport: SimulatedTransport

    func currentCursor(knowing history: ServerHistory?) async throws(TransportError) -> EventStart {
        try await transport.call { reply in transport.world.locate(history, transport, reply) }
    }

    func open(
        from cursor: EventCursor, knowing history: ServerHistory?
    ) async throws(TransportError) -> any EventStream {
        var cursor = cursor
        let world = transport.world
        if world.plan.plantedFault == .readsThenRegisters, world.isFirstReader(at: cursor) {
            await world.pass(.seconds(5))
            cursor = world.hub.eventCursor ?? cursor
        }
        return SimulatedStream(transport: transport, cursor: cursor)
    }
}

/// A stream of the hub's events: each part is one request.
final class SimulatedStream: EventStream {
    private struct State {
        var cursor: EventCursor
        /// The cursor before the last part.
        var former: EventCursor
        var isWaiting = false
        var isClosed = false
    }

    private let transport: SimulatedTransport
    private let state: Mutex<State>

    init(transport: SimulatedTransport, cursor: EventCursor) {
        self.transport = transport
        state = Mutex(State(cursor: cursor, former: cursor))
    }

    func next(knowing history: ServerHistory?) async throws(TransportError) -> EventPart {
        let world = transport.world
        var (cursor, isWaiting) = state.withLock { ($0.cursor, $0.isWaiting) }
        if world.strikes(.eventsRepeated) { (cursor, isWaiting) = (state.withLock { $0.former }, false) }
        guard !state.withLock({ $0.isClosed }) else { throw .unreachable(detail: "the stream has ended") }
        let part = try await transport.call { [cursor, isWaiting] reply in
            world.events(after: cursor, isWaiting: isWaiting, history, transport, reply)
        }
        if case .batch(let batch) = part {
            state.withLock { state in
                state.former = cursor
                state.cursor = batch.cursor
                state.isWaiting = batch.isUpToDate
            }
        }
        return part
    }

    func close() async { state.withLock { $0.isClosed = true } }
}
