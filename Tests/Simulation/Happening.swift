import CausewayModels
import CausewayOutbox

/// One request of a client's process, as the network sees it.
struct Call {
    /// Unique in a run; a repeated request keeps it.
    var id: Int
    var client: Int
    /// The run of the client that waits for the answer.
    var process: Int
    var round: DeliveryRound
    var delivery: Delivery
}

/// What becomes of the answer to a request that arrives.
enum AnswerFate {
    case delivered(after: Duration)
    /// The client sees the connection break at once.
    case reset
    /// The client sees nothing.
    case lost
}

/// Everything that can be planned for a later moment.
enum Happening {
    case userActs(client: Int)
    case deadline(client: Int, process: Int, MonotonicTime)
    case requestArrives(Call, AnswerFate)
    case callEnds(Call, Result<DeliveryReport, TransportError>)
    case callTimesOut(Call)
    case unsendable(Call, [MessageID])
    case probeArrives(client: Int, process: Int)
    case probeEnds(client: Int, process: Int, TransportError?)
    case clientStarts(client: Int)
    case cutEnds
    case outageEnds
    case tokenRenewed(client: Int)
    case faultsEnd
}
