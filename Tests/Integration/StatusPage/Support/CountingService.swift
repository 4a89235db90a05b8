import Causeway
import CausewayControlAPI
import Synchronization

/// Responses that replace or change those of the service.
struct Answers: Sendable {
    var watch: (@Sendable () -> AsyncThrowingStream<ActivityResponse, any Error>)?
    var outbox: (@Sendable (MessageListResponse) -> MessageListResponse)?
    var message: (@Sendable (MessageDTO) -> MessageDTO)?
    var activity: (@Sendable (ActivityResponse) -> ActivityResponse)?
    var deletions: (@Sendable (Int64?) async throws(ControlError) -> DeleteActionListResponse)?
    /// Thrown by every call.
    var problem: ControlError?
}

/// Passes every call on, and records the page's requests.
final class CountingService: ControlService {
    private let service: any ControlService
    private let state = Mutex<[(question: String, rows: Int)]>([])

    private let changed = Mutex(Answers())

    init(_ service: any ControlService) { self.service = service }

    var answers: Answers {
        get { changed.withLock { $0 } }
        set { changed.withLock { $0 = newValue } }
    }

    private func trouble() throws(ControlError) {
        if let problem = answers.problem { throw problem }
    }

    var asked: [(question: String, rows: Int)] { state.withLock { $0 } }
    func forget() { state.withLock { $0 = [] } }

    private func note(_ question: String, _ rows: Int = 1) { state.withLock { $0.append((question, rows)) } }

    func login(_ request: LoginRequest) async throws(ControlError) -> SessionDTO { try await service.login(request) }
    func logout() async throws(ControlError) -> LogoutReport { try await service.logout() }
    func send(_ messages: [OutgoingMessage]) async throws(ControlError) -> SendReport {
        try await service.send(messages)
    }
    func result(of id: MessageID, within limit: Duration) async throws(ControlError) -> DeliveryResultResponse {
        try await service.result(of: id, within: limit)
    }
    func messages(_ query: ChannelQuery) async throws(ControlError) -> MessageListResponse {
        note("messages", query.range.limit)
        let list = try await service.messages(query)
        return answers.outbox?(list) ?? list
    }
    func edit(_ id: MessageID, _ request: EditRequest) async throws(ControlError) -> MessageDTO {
        try await service.edit(id, request)
    }
    func react(_ id: MessageID, _ request: ReactionRequest) async throws(ControlError) -> MessageDTO {
        try await service.react(id, request)
    }
    func records(_ request: RecordPageRequest) async throws(ControlError) -> RecordPageResponse {
        try await service.records(request)
    }
    func write(_ request: RecordWriteRequest) async throws(ControlError) -> RecordWriteResponse {
        try await service.write(request)
    }
    func follow(_ query: FollowQuery, _ listener: (FollowEvent) async throws -> Void) async throws {
        try await service.follow(query, listener)
    }
    func message(_ id: MessageID) async throws(ControlError) -> MessageDTO {
        note("message")
        try trouble()
        let message = try await service.message(id)
        return answers.message?(message) ?? message
    }
    func outbox(_ query: OutboxQuery) async throws(ControlError) -> MessageListResponse {
        note("outbox", query.range.limit)
        try trouble()
        let list = try await service.outbox(query)
        return answers.outbox?(list) ?? list
    }
    func failed(in channel: ChannelID?, _ range: PageRange) async throws(ControlError) -> MessageListResponse {
        note("failed", range.limit)
        return try await service.failed(in: channel, range)
    }
    func resend(_ ids: [MessageID]) async throws(ControlError) -> ChangeReport { try await service.resend(ids) }
    func resendFailed(in channel: ChannelID?) async throws(ControlError) -> ChangeReport {
        try await service.resendFailed(in: channel)
    }
    func delete(_ ids: [MessageID], by origin: DeleteAction.Origin) async throws(ControlError) -> ChangeReport {
        try await service.delete(ids, by: origin)
    }
    func deleteFailed(
        in channel: ChannelID?, by origin: DeleteAction.Origin
    ) async throws(ControlError) -> ChangeReport { try await service.deleteFailed(in: channel, by: origin) }
    func deleteActions(limit: Int, before: Int64?) async throws(ControlError) -> DeleteActionListResponse {
        note("deleteActions", limit)
        if let deletions = answers.deletions { return try await deletions(before) }
        return try await service.deleteActions(limit: limit, before: before)
    }
    func status() async throws(ControlError) -> StatusResponse {
        note("status")
        try trouble()
        return try await service.status()
    }
    func activity() async throws(ControlError) -> ActivityResponse {
        note("activity")
        try trouble()
        let activity = try await service.activity()
        return answers.activity?(activity) ?? activity
    }
    func watch() -> AsyncThrowingStream<ActivityResponse, any Error> { answers.watch?() ?? service.watch() }
    func setPaused(_ isPaused: Bool) async throws(ControlError) { try await service.setPaused(isPaused) }
    func probe() async throws(ControlError) { try await service.probe() }
}
