import CausewayHubRules
import CausewayModels
import CausewayRuntime
import CausewaySimulatedHub
import CausewayTransport
import Synchronization

/// The model of the hub and of its connection, in simulated time.
final class SimulatedServer: Sendable {
    private struct State {
        var hub: ModelHub
        var line = Scenario.Line.up
        /// Increases with each change of the line: requests stuck in the old one are cut off.
        var lineNumber = 0
        var trouble: (Scenario.Trouble, times: Int)?
        var isTokenRefused = false
        var rooms: [MessageID: ChannelID] = [:]

        mutating func apply(_ delivery: Delivery, at time: Timestamp) throws(TransportError) -> DeliveryReport {
            var delivery = delivery
            var wanted: [MessageID: ChannelID] = [:]
            for index in delivery.operations.indices {
                guard
                    case .send(let id, let channel, let content, let createdAt, parent: _, let tags) =
                        delivery.operations[index].body
                else { continue }
                wanted[id] = channel
                // The hub looks for the channel first, and for the message that is replied to only if there is one.
                if channel.value == Scenario.Room.nowhere.rawValue {
                    delivery.operations[index].body = .send(
                        id, channel: channel, content: content, createdAt: createdAt, parent: nil, tags: tags)
                }
            }
            let report = try hub.apply(delivery, at: time) { id, _ in
                wanted[id]?.value == Scenario.Room.nowhere.rawValue
                    ? .refuse(code: "channelNotFound", detail: "there is no such channel") : .fine
            }
            rooms.merge(wanted) { first, _ in first }
            return report
        }
    }

    /// The fate of a request.
    enum Way: Sendable {
        case open
        case cut
        /// No response before the line's number has changed; `arrives` tells whether the request arrives.
        case silent(lineNumber: Int, arrives: Bool)
    }

    private let state: Mutex<State>
    private let runtime: any Runtime

    init(runtime: any Runtime, plantedFault: HubPlantedFault?) {
        self.runtime = runtime
        state = Mutex(State(hub: ModelHub(plantedFault: plantedFault)))
    }

    var way: Way {
        state.withLock { state in
            switch state.line {
            case .up, .slow, .slices: .open
            case .cut: .cut
            case .mute: .silent(lineNumber: state.lineNumber, arrives: true)
            case .blackHole: .silent(lineNumber: state.lineNumber, arrives: false)
            }
        }
    }

    var lineNumber: Int { state.withLock { $0.lineNumber } }
    var isTokenRefused: Bool { state.withLock { $0.isTokenRefused } }

    func use(_ line: Scenario.Line) {
        state.withLock { state in
            state.line = line
            state.lineNumber += 1
        }
    }

    func cause(_ trouble: Scenario.Trouble, times: Int) { state.withLock { $0.trouble = (trouble, times) } }
    func refuseToken() { state.withLock { $0.isTokenRefused = true } }

    func endTrouble() {
        state.withLock { state in
            state.trouble = nil
            state.isTokenRefused = false
        }
    }

    func restart() { state.withLock { $0.hub.restart() } }

    func shown(in room: ChannelID) -> [ShownMessage] {
        state.withLock { state in
            state.hub.history.compactMap { placed in
                let id = placed.message
                guard state.rooms[id] == room, let stored = state.hub.accepted[id], !stored.isDeleted else {
                    return nil
                }
                return ShownMessage(id: id, content: stored.content, reactions: stored.reactions)
            }
        }
    }

    /// Passes a delivery to the hub, with its present faults.
    func receive(_ delivery: Delivery) throws(TransportError) -> DeliveryReport {
        let time = runtime.wallClock
        return try state.withLock { state -> Result<DeliveryReport, TransportError> in
            let trouble = state.trouble?.0
            if let times = state.trouble?.times { state.trouble = times > 1 ? trouble.map { ($0, times - 1) } : nil }
            if let error = trouble?.errorBefore { return .failure(error) }
            do throws(TransportError) {
                let report = try state.apply(delivery, at: time)
                return trouble == .lostAnswer ? .failure(.inDoubt(detail: "cut off")) : .success(report)
            } catch {
                return .failure(error)
            }
        }.get()
    }
}

extension Scenario.Trouble {
    /// The error for a delivery that is not applied; `nil` when it is.
    fileprivate var errorBefore: TransportError? {
        switch self {
        case .respond(let status, let code):
            status < 500 ? .refused(code: code, detail: "refused") : .transient(code: code, detail: "not now")
        case .rateLimited: .rateLimited(after: .seconds(1), detail: "slow down")
        case .cutBefore, .captivePortal: .inDoubt(detail: "no answer of the protocol")
        case .lostAnswer: nil
        }
    }
}
