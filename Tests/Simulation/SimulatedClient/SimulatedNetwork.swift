import CausewayModels
import CausewaySimulatedHub
import CausewayTransport

/// The state of the network and of the hub's front end.
struct SimulatedNetwork {
    /// Deliveries in flight, as their callers see them.
    var openCalls = 0
    /// Requests of uploads in flight.
    var openTransfers = 0
    /// The hub responds to no request until this time.
    var outageUntil = MonotonicTime.zero
    /// The tokens that the hub rejects, and until when; `nil` for those that it will never accept again.
    var refusedTokens: [String: MonotonicTime?] = [:]
    /// The hub uses another protocol version until this time.
    var mismatchUntil = MonotonicTime.zero
    var nextToken = 1
    /// The hub refuses these messages until this time: their channel is created later.
    var refusedUntil: [MessageID: MonotonicTime] = [:]
    /// The newest process of each device whose delivery the hub accepted, by account and outbox.
    var newestAdmitted: [Int: [UserID: [OutboxID: Int]]] = [:]
}

/// One delivery in transit.
struct DeliveryCall: Sendable {
    var process: Int
    var device: Int
    var token: String
    var delivery: Delivery
    var reply: Reply<DeliveryReport>
}

/// The fate of the response to a request that arrives.
enum AnswerFate {
    case delivered
    /// The client sees the connection break.
    case reset
    /// The client sees nothing.
    case lost
}

/// The hub's treatment of a message.
enum Trait {
    case plain
    /// The hub refuses it.
    case refused
    /// The hub refuses it until its channel is created.
    case refusedForNow
    /// The hub refuses every request that contains it.
    case poisonous
    /// Another account has used its id.
    case taken
    /// Encoding it into a request kills the process.
    case lethal

    init(of id: MessageID) {
        // The id is drawn from the run's random numbers.
        switch id.value.low % 64 {
        case 0: self = .refused
        case 1, 2: self = .refusedForNow
        case 3: self = .poisonous
        case 4: self = .taken
        case 5 where id.value.low % 128 == 5: self = .lethal
        default: self = .plain
        }
    }
}

extension DeliveryOperation {
    var told: String {
        switch body {
        case .send: "send#\(sequence)<\(previous)"
        case .edit: "edit#\(sequence)<\(previous)"
        case .addReaction: "react#\(sequence)<\(previous)"
        case .removeReaction: "unreact#\(sequence)<\(previous)"
        case .write: "write#\(sequence)<\(previous)"
        case .fence: "fence#\(sequence)<\(previous)"
        case .delete: "delete#\(sequence)<\(previous)"
        }
    }
}

extension DeliveryOutcome {
    var told: String {
        switch self {
        case .accepted(let serverPosition): "accepted@\(serverPosition.position)"
        case .fenced: "fenced"
        case .deleted: "deleted"
        case .refused(let code, _): "refused \(code)"
        case .tryLater(_, _, let after): after == nil ? "try later" : "try later after"
        case .notAttempted: "-"
        case .gap(let mark): "gap \(mark)"
        case .late(let mark): "late \(mark)"
        case .unrelated: "unrelated"
        }
    }
}
