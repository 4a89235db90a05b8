package import CausewayModels

/// The requests that the daemon serves: the only interface of the command line and the status page.
///
/// Two implementations: ``ClientControlService`` in the process that owns the store, and ``ControlClient`` over the
/// socket of such a process. Thread-safe; a call that throws has changed nothing, unless documented otherwise.
package protocol ControlService: Sendable {
    /// Asks the server for the user of the token, and starts the session or renews its token.
    func login(_ request: LoginRequest) async throws(ControlError) -> SessionDTO
    /// Ends the session and reports the number of undelivered messages.
    func logout() async throws(ControlError) -> LogoutReport

    /// Enqueues messages in their order; they are durable on return.
    ///
    /// All are checked first: when one is not acceptable, none is enqueued and the error names it by its index. When
    /// the store fails on the way, the report lists the enqueued messages and the error; the call throws when there are
    /// none.
    ///
    /// - Parameter messages: 1 to ``ControlLimits/messagesPerRequestMax``.
    func send(_ messages: [OutgoingMessage]) async throws(ControlError) -> SendReport
    /// Enqueues a message with a file; message and file are durable on return. After an error nothing of the file is
    /// kept.
    func send(_ message: OutgoingMedia, _ bytes: MediaBytes) async throws(ControlError) -> SendReport
    /// Passes the bytes of a message's file to `body`, from `offset` to the end, in parts and in order.
    ///
    /// The size is verified, the hash is not: the caller compares that of the whole file with the message's.
    func readFile(
        of id: MessageID, from offset: Int64, to body: @Sendable ([UInt8]) async throws(ControlError) -> Void
    ) async throws(ControlError)
    /// Waits for the end of a delivery, for at most `limit` and ``ControlLimits/waitSecondsMax`` seconds, and returns
    /// its state at that time.
    func result(of id: MessageID, within limit: Duration) async throws(ControlError) -> DeliveryResultResponse

    /// Replaces the content of a message of the own account, wherever it is; durable on return.
    ///
    /// - Returns: the message as displayed from now on.
    func edit(_ id: MessageID, _ request: EditRequest) async throws(ControlError) -> MessageDTO
    /// Adds a reaction to a message, or removes it; durable on return.
    func react(_ id: MessageID, _ request: ReactionRequest) async throws(ControlError) -> MessageDTO

    /// Returns a page of a channel, newest first.
    func messages(_ query: ChannelQuery) async throws(ControlError) -> MessageListResponse
    func message(_ id: MessageID) async throws(ControlError) -> MessageDTO
    /// Notifies `listener` of the newest messages of a channel, first as they are now and then whenever they change,
    /// one event after the other; the server is asked for them meanwhile. A slow listener receives one event from its
    /// last state to the current one, and delays nothing else. An event without a change is sent now and then, as a
    /// keep-alive.
    ///
    /// Ends only by throwing: the error of `listener`, `CancellationError`, or ``ControlError``, among them
    /// ``ControlError/Code/busy`` when there are too many followers and ``ControlError/Code/daemonUnreachable`` when
    /// the daemon stopped.
    func follow(_ query: FollowQuery, _ listener: (FollowEvent) async throws -> Void) async throws
    /// Returns a page of the messages that are not `synced`, with their wait reasons. Cost: the size of the page, at
    /// any position. For a channel and a state together, a page may contain fewer messages than requested although
    /// there is a next one.
    func outbox(_ query: OutboxQuery) async throws(ControlError) -> MessageListResponse
    /// Returns a page of the failed messages, oldest first; of one channel when given.
    func failed(in channel: ChannelID?, _ range: PageRange) async throws(ControlError) -> MessageListResponse

    /// Requeues failed messages; others are unchanged and omitted from the report.
    func resend(_ ids: [MessageID]) async throws(ControlError) -> ChangeReport
    /// Requeues all failed messages, of one channel when given.
    func resendFailed(in channel: ChannelID?) async throws(ControlError) -> ChangeReport
    /// Deletes messages wherever they are; unknown ones are omitted from the report.
    func delete(_ ids: [MessageID], by origin: DeleteAction.Origin) async throws(ControlError) -> ChangeReport
    /// Deletes all failed messages, of one channel when given.
    func deleteFailed(
        in channel: ChannelID?, by origin: DeleteAction.Origin
    ) async throws(ControlError) -> ChangeReport
    /// Returns past deletions, newest first.
    func deleteActions(limit: Int, before: Int64?) async throws(ControlError) -> DeleteActionListResponse

    /// Returns a page of a list of records other than messages: the server's, or the stored one.
    ///
    /// Throws ``ControlError/Code/refused`` when the server has no such list for the account, and
    /// ``ControlError/Code/badRequest`` for a kind that this version does not know.
    func records(_ request: RecordPageRequest) async throws(ControlError) -> RecordPageResponse
    /// Sends a write to a record at once and waits for the server's result; it is not queued.
    ///
    /// Throws ``ControlError/Code/refused`` with the server's reason, and ``ControlError/Code/unreachable`` when the
    /// server cannot be reached; if its response was lost, the write may have been applied.
    func write(_ request: RecordWriteRequest) async throws(ControlError) -> RecordWriteResponse

    func status() async throws(ControlError) -> StatusResponse
    /// Returns the status, and the number of messages delivered in each of the last minutes.
    func activity() async throws(ControlError) -> ActivityResponse
    /// Streams the activity, first as it is now and then after each change: at most a few times a second, and at least
    /// every ``ControlLimits/watchSilenceSecondsMax`` seconds. A slow reader misses intermediate states, never the last
    /// one.
    ///
    /// Ends by throwing ``ControlError``: ``ControlError/Code/busy`` when there are too many watchers,
    /// ``ControlError/Code/daemonUnreachable`` when the daemon stopped.
    func watch() -> AsyncThrowingStream<ActivityResponse, any Error>
    /// Pauses or resumes sending.
    func setPaused(_ isPaused: Bool) async throws(ControlError)
    /// Probes the server now instead of at the next scheduled time.
    func probe() async throws(ControlError)

    /// Begins a work on the open store, and returns at once; ``upkeep()`` reports its progress and its end.
    ///
    /// Throws ``ControlError/Code/busy`` while another one is under way.
    func beginUpkeep(_ request: UpkeepRequest) async throws(ControlError) -> UpkeepStatus
    /// Returns the state of the last work on the open store; `nil` if there was none since the process started.
    func upkeep() async throws(ControlError) -> UpkeepStatus?
}

extension ControlService {
    /// Default for services without a store of their own.
    package func beginUpkeep(_ request: UpkeepRequest) async throws(ControlError) -> UpkeepStatus {
        throw ControlError(.badRequest, "this process has no store that can be copied or compacted")
    }

    /// Default for services without a store of their own.
    package func upkeep() async throws(ControlError) -> UpkeepStatus? { nil }
}

/// The only host name that a control socket accepts.
package enum ControlHost {
    package static let name = "causeway"
}
