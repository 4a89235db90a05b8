import CausewayModels
import CausewaySimulatedHub
import CausewayTransport

/// What the network and the hub's door remember.
struct SimulatedNetwork {
    /// Deliveries under way, as their callers see it.
    var openCalls = 0
    /// The hub answers nobody until then.
    var outageUntil = MonotonicTime.zero
    /// Tokens that the hub does not take, and until when; `nil` for those that it will never take again.
    var refusedTokens: [String: MonotonicTime?] = [:]
    /// The hub speaks another version until then.
    var mismatchUntil = MonotonicTime.zero
    var nextToken = 1
    /// The hub refuses these messages until then: their channel is made later.
    var refusedUntil: [MessageID: MonotonicTime] = [:]
    /// The newest process of each device whose delivery the hub took, by account and outbox.
    var newestAdmitted: [Int: [UserID: [OutboxID: Int]]] = [:]
}

/// One delivery on its way.
struct DeliveryCall: Sendable {
    var process: Int
    var device: Int
    var token: String
    var delivery: Delivery
    var reply: Reply<DeliveryReport>
}

/// What becomes of the answer to a request that arrives.
enum AnswerFate {
    case delivered
    /// The client sees the connection break.
    case reset
    /// The client sees nothing.
    case lost
}

/// What is special about a message, at the hub.
enum Trait {
    case plain
    /// The hub refuses it.
    case refused
    /// The hub refuses it until its channel is made.
    case refusedForNow
    /// A request with it in it is refused as a whole.
    case poisonous
    /// Another account has used its identifier.
    case taken
    /// Putting it into a request kills the process.
    case lethal

    init(of id: MessageID) {
        // The identifier comes from the run's chance.
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
        case .fence: "fence#\(sequence)<\(previous)"
        case .delete: "delete#\(sequence)<\(previous)"
        }
    }
}

extension DeliveryOutcome {
    var told: String {
        switch self {
        case .accepted(let placement): "accepted@\(placement.position)"
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
