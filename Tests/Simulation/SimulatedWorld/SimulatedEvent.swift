import CausewayModels
import CausewayOutbox

/// One request of a client's process, as the network sees it. An object, because events carry it.
final class DeliveryCall: Sendable {
    /// Unique in a run; a repeated request keeps it.
    let id: Int
    let client: Int
    /// The run of the client that waits for the response.
    let process: Int
    /// The process, numbered by its start.
    let birth: Int
    /// The account of its token.
    let account: UserID
    let batch: Batch
    let delivery: Delivery

    init(
        id: Int, client: Int, process: Int, birth: Int, account: UserID, batch: Batch, delivery: Delivery
    ) {
        self.id = id
        self.client = client
        self.process = process
        self.birth = birth
        self.account = account
        self.batch = batch
        self.delivery = delivery
    }

    /// The same request, for which another run waits.
    func awaited(by client: Int, process: Int) -> DeliveryCall {
        DeliveryCall(
            id: id, client: client, process: process, birth: birth, account: account, batch: batch, delivery: delivery)
    }
}

/// The fate of the response to a request that arrives.
enum AnswerFate {
    case delivered(after: Duration)
    /// The client sees the connection break at once.
    case reset
    /// The client sees nothing.
    case lost
}

/// An input that waits for its turn in a client's process.
enum Input {
    case event(OutboxEvent)
    case delete([MessageID])
    case resend([MessageID])
    case operation(Outbox.OperationRequest, MessageID)
    /// The machine has processed the hub's last answer to an upload.
    case uploadProceeds(UploadCall, from: Int64)
    case uploadFails(UploadCall, TransportError)
    case logIn(UserID)
    case logOut
    /// Messages from the hub, by its event stream or as a page.
    case merge(News)
    /// A probe has succeeded.
    case probed(ProbeCall, ProbeAnswer)
    /// Failed operations that a later one on the same message may have replaced.
    case endOvertaken([MessageID])
}

/// An event that can be planned for a later time.
indirect enum SimulatedEvent {
    case userActs(Plan.Act)
    case deadline(client: Int, process: Int, MonotonicTime)
    case diskIsDone(client: Int, process: Int)
    case requestArrives(DeliveryCall, AnswerFate)
    case callEnds(DeliveryCall, Result<DeliveryReport, TransportError>)
    case callTimesOut(DeliveryCall)
    case unsendable(DeliveryCall, [MessageID])
    case uploadArrives(UploadCall, UploadCall.Request)
    case uploadAnswered(UploadCall, Result<UploadCall.Answer, TransportError>)
    case foreign(DeliveryCall, [MessageID])
    case probeArrives(ProbeCall)
    case probeEnds(ProbeCall, Result<ProbeAnswer, TransportError>)
    /// The hub sends messages by its event stream.
    case news(client: Int, process: Int, News)
    /// The hub's data may be copied, or lost.
    case hubAges
    case clientStarts(client: Int)
    case processWakes(client: Int)
    /// Users handle the messages that pause lanes.
    case peopleTidy
    case wayIsGood(Trouble)
    case machineWakes(client: Int)
    case draftLands(LateDraft)
    case diskHasRoom(client: Int)
    case tokenRenewed
    case faultsEnd

    /// A message that is on its way into the store.
    struct LateDraft {
        var client: Int
        /// The run of the program that creates it.
        var birth: Int
        var sender: UserID
    }

    /// Adds the event and its subject to the history.
    func add(to hash: inout HistoryHash) {
        switch self {
        case .userActs(let act): hash.add(1, act.client)
        case .deadline(let client, _, _): hash.add(2, client)
        case .diskIsDone(let client, _): hash.add(3, client)
        case .requestArrives(let call, _): hash.add(4, call.id)
        case .callEnds(let call, let result):
            hash.add(5)
            hash.add(call.id)
            hash.add(result)
        case .callTimesOut(let call): hash.add(6, call.id)
        case .unsendable(let call, _): hash.add(7, call.id)
        case .probeArrives(let call): hash.add(8, call.client)
        case .probeEnds(let call, let result):
            hash.add(9)
            hash.add(call.client)
            if case .failure(let error) = result { hash.add(error) }
        case .news(let client, _, let news):
            hash.add(10)
            hash.add(client)
            for one in news.messages { hash.add(one.id) }
        case .clientStarts(let client): hash.add(11, client)
        case .processWakes(let client): hash.add(12, client)
        case .wayIsGood(let trouble): hash.add(trouble.rawValue)
        case .diskHasRoom(let client): hash.add(14, client)
        case .tokenRenewed: hash.add(15)
        case .faultsEnd: hash.add(16)
        case .peopleTidy: hash.add(17)
        case .machineWakes(let client): hash.add(18, client)
        case .draftLands(let late): hash.add(19, late.client)
        case .foreign(let call, _): hash.add(20, call.id)
        case .hubAges: hash.add(23)
        case .uploadArrives(let call, _): hash.add(21, call.id)
        case .uploadAnswered(let call, _): hash.add(22, call.id)
        }
    }
}

/// A temporary problem of the connection to the hub.
enum Trouble: String, CaseIterable {
    /// Nothing gets through, and the caller gets an error at once.
    case cut
    /// Nothing gets through, and the caller gets no error.
    case halfOpen
    /// Another server responds.
    case captivePortal
    /// Nothing listens at the hub's address.
    case hubDown
    /// The hub rejects every token.
    case tokenRefused
    /// The hub's certificate does not verify.
    case certificate
    /// The hub uses another protocol version.
    case protocolMismatch
}
