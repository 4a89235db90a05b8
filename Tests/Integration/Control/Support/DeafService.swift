import Causeway
import CausewayControlAPI
import Synchronization

/// A service that does nothing, except what a test gives it: for tests of what happens before any request, and for
/// watches without events.
struct DeafService: ControlService {
    /// The behaviour of a watch.
    enum Watch {
        case refused
        /// One event, or none, and silence from then on.
        case silent(after: ActivityResponse?)
    }

    /// Keeps streams alive: an unreferenced one would end.
    private final class Kept: Sendable {
        let streams = Mutex<[AsyncThrowingStream<ActivityResponse, any Error>.Continuation]>([])
    }

    /// A message with a file, and the reading of its bytes.
    struct File: Sendable {
        typealias Body = @Sendable ([UInt8]) async throws(ControlError) -> Void

        let message: MessageDTO
        let read: @Sendable (Body) async throws(ControlError) -> Void
    }

    typealias Delivery = @Sendable (MessageID) throws(ControlError) -> DeliveryResultResponse

    private let watched: Watch
    private let file: File?
    private let result: Delivery?
    private let kept = Kept()

    /// - Parameter result: the results of deliveries.
    init(watched: Watch = .refused, file: File? = nil, result: Delivery? = nil) {
        self.watched = watched
        self.file = file
        self.result = result
    }

    private var deaf: ControlError { ControlError(.internalError, "deaf") }

    func login(_ request: LoginRequest) async throws(ControlError) -> SessionDTO { throw deaf }
    func logout() async throws(ControlError) -> LogoutReport { throw deaf }
    func send(_ messages: [OutgoingMessage]) async throws(ControlError) -> SendReport { throw deaf }
    func result(of id: MessageID, within limit: Duration) async throws(ControlError) -> DeliveryResultResponse {
        guard let result else { throw deaf }
        return try result(id)
    }
    func edit(_ id: MessageID, _ request: EditRequest) async throws(ControlError) -> MessageDTO { throw deaf }
    func react(_ id: MessageID, _ request: ReactionRequest) async throws(ControlError) -> MessageDTO { throw deaf }
    func messages(_ query: ChannelQuery) async throws(ControlError) -> MessageListResponse { throw deaf }
    func message(_ id: MessageID) async throws(ControlError) -> MessageDTO {
        guard let file else { throw deaf }
        return file.message
    }
    func readFile(of id: MessageID, from offset: Int64, to body: File.Body) async throws(ControlError) {
        guard let file else { throw deaf }
        try await file.read(body)
    }
    func records(_ request: RecordPageRequest) async throws(ControlError) -> RecordPageResponse { throw deaf }
    func write(_ request: RecordWriteRequest) async throws(ControlError) -> RecordWriteResponse { throw deaf }
    func outbox(_ query: OutboxQuery) async throws(ControlError) -> MessageListResponse { throw deaf }
    func failed(in channel: ChannelID?, _ range: PageRange) async throws(ControlError) -> MessageListResponse {
        throw deaf
    }
    func follow(_ query: FollowQuery, _ listener: (FollowEvent) async throws -> Void) async throws { throw deaf }
    func resend(_ ids: [MessageID]) async throws(ControlError) -> ChangeReport { throw deaf }
    func resendFailed(in channel: ChannelID?) async throws(ControlError) -> ChangeReport { throw deaf }
    func delete(_ ids: [MessageID], by origin: DeleteAction.Origin) async throws(ControlError) -> ChangeReport {
        throw deaf
    }
    func deleteFailed(
        in channel: ChannelID?, by origin: DeleteAction.Origin
    ) async throws(ControlError) -> ChangeReport { throw deaf }
    func deleteActions(limit: Int, before: Int64?) async throws(ControlError) -> DeleteActionListResponse { throw deaf }
    func status() async throws(ControlError) -> StatusResponse { throw deaf }
    func activity() async throws(ControlError) -> ActivityResponse { throw deaf }
    func watch() -> AsyncThrowingStream<ActivityResponse, any Error> {
        AsyncThrowingStream { continuation in
            switch watched {
            case .refused: continuation.finish(throwing: deaf)
            case .silent(let first):
                if let first { continuation.yield(first) }
                kept.streams.withLock { $0.append(continuation) }
            }
        }
    }
    func setPaused(_ isPaused: Bool) async throws(ControlError) { throw deaf }
    func probe() async throws(ControlError) { throw deaf }
}
