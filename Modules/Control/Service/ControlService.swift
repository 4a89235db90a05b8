package import Causeway

/// Everything that the daemon can be asked: the one interface of the command line and the status page.
///
/// Two implementations: ``ClientControlService`` in the process that owns the store, and ``ControlClient`` over the
/// socket of such a process. Thread-safe; a call that throws has changed nothing, unless it says so.
package protocol ControlService: Sendable {
    /// Asks the server who the token belongs to, and begins the session or renews its token.
    func login(_ request: LoginRequest) async throws(ControlError) -> SessionForm
    /// Ends the session and says how many messages had not been delivered.
    func logout() async throws(ControlError) -> LogoutReport

    /// Takes in messages, in their order; they are durable when it returns.
    ///
    /// All are checked first: when one is not acceptable, none is taken and the error names it by its place. When
    /// the store fails on the way, the report says which were taken and what stopped it; it throws when none was.
    ///
    /// - Parameter messages: 1 to ``ControlLimits/messagesPerRequestMax``.
    func send(_ messages: [OutgoingMessage]) async throws(ControlError) -> SendReport
    /// Waits for the end of a delivery, for at most `limit` and ``ControlLimits/waitSecondsMax`` seconds, and says
    /// how it stands then.
    func result(of id: MessageID, within limit: Duration) async throws(ControlError) -> ResultForm

    /// Changes what a message of the own account says, wherever it is; durable when it returns.
    ///
    /// - Returns: the message as it is shown from now on.
    func edit(_ id: MessageID, _ form: EditForm) async throws(ControlError) -> MessageForm
    /// Adds a reaction to a message, or takes it back; durable when it returns.
    func react(_ id: MessageID, _ form: ReactionForm) async throws(ControlError) -> MessageForm

    /// A page of a channel, newest first.
    func messages(_ query: ChannelQuery) async throws(ControlError) -> MessageListForm
    func message(_ id: MessageID) async throws(ControlError) -> MessageForm
    /// A page of everything that is not `synced`, oldest first, and why.
    func outbox(_ range: PageRange) async throws(ControlError) -> MessageListForm
    /// A page of the failed messages, oldest first; of one channel when given.
    func failed(in channel: ChannelID?, _ range: PageRange) async throws(ControlError) -> MessageListForm

    /// Puts failed messages back into the queue; others are left alone and left out of the report.
    func resend(_ ids: [MessageID]) async throws(ControlError) -> ChangeReport
    /// Puts all failed messages back into the queue, of one channel when given.
    func resendFailed(in channel: ChannelID?) async throws(ControlError) -> ChangeReport
    /// Deletes messages wherever they are; those that are not there are left out of the report.
    func delete(_ ids: [MessageID], by origin: DeleteAction.Origin) async throws(ControlError) -> ChangeReport
    /// Deletes all failed messages, of one channel when given.
    func deleteFailed(
        in channel: ChannelID?, by origin: DeleteAction.Origin
    ) async throws(ControlError) -> ChangeReport
    /// Past deletions, newest first.
    func deleteActions(limit: Int, before: Int64?) async throws(ControlError) -> DeleteActionListForm

    func status() async throws(ControlError) -> StatusForm
    /// Stops sending, or goes on.
    func setPaused(_ isPaused: Bool) async throws(ControlError)
    /// Looks for the server now instead of at the next planned moment.
    func probe() async throws(ControlError)
}
