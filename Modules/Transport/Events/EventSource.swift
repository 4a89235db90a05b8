public import CausewayModels

/// A server's log of changes, as one account may read it.
///
/// The log only points: an event reports that a record of a topic has a new version, with the record's newest state.
/// Reading it needs no state on the server but the cursor, so a reader that was away continues where it was, over
/// another connection, another carrier (WebSocket, server-sent events, long poll) or another instance of the server.
///
/// **Start.** Take the cursor with ``currentCursor(knowing:)``, then read state (pages, lists), then the events from
/// the cursor. Events that the state includes already are repeated; they have the version that the reader has, or an
/// older one, and change nothing.
///
/// **Rights.** An account that becomes a member of a channel gets its membership in ``EventTopic/account``, and the
/// channel as limited: it reads the channel's pages. An account that ceases to be one gets the membership as deleted,
/// and nothing more of the channel.
///
/// Promises of every implementation:
///
/// 1. Old state, and every event since its cursor, is the state of now.
/// 2. Events of one record come in the order of their versions. A batch has each record at most once in each topic.
/// 3. A cursor covers everything up to it: the reader commits it in the transaction that stores what came with it, and
///    loses nothing if it ends before.
/// 4. Rights are checked when reading: after a removal, a cursor yields nothing more of that topic.
/// 5. Errors are classified as for ``Transport``. No event is lost by one: the reader continues from its last cursor.
/// 6. A cursor that the server cannot use leads to ``EventPart/reset(_:)``; text that is no cursor of the server at all
///    may be `refused` with the code ``EventCursor/invalidCode`` instead.
public protocol EventSource: Sendable {
    /// The end of the log at this moment.
    ///
    /// - Parameter history: the server's history as the client knows it.
    func currentCursor(knowing history: ServerHistory?) async throws(TransportError) -> EventStart

    /// Opens a stream of the events after `cursor`. An unusable cursor may be reported here or by the first
    /// ``EventStream/next(knowing:)``.
    ///
    /// The events of all topics that the account can read; there is no subscription to single topics to be renewed
    /// after a reconnection.
    ///
    /// - Parameter history: the server's history as the client knows it.
    func open(
        from cursor: EventCursor, knowing history: ServerHistory?
    ) async throws(TransportError) -> any EventStream
}

/// One open stream of an ``EventSource``, read by one task.
///
/// **Flow.** Nothing is pushed: the next batch is read from the network when ``next(knowing:)`` is called, apart from a
/// bounded number of bytes that are under way. A slow reader therefore holds a position in the log, not a queue.
public protocol EventStream: Sendable {
    /// Waits for the next part of the log. The first part comes at once.
    ///
    /// If nothing is new, the call ends after a while, of about half a minute, with an empty batch: a sign of life. A
    /// dead connection is detected by its absence, and the call throws. Ends soon after the task was cancelled. After
    /// an error, and after ``EventPart/reset(_:)``, every later call throws: open another stream.
    ///
    /// - Parameter history: the server's history as the client knows it; a carrier with one request for a whole stream
    ///   names the one of its opening.
    func next(knowing history: ServerHistory?) async throws(TransportError) -> EventPart

    /// Ends the stream; a call of ``next(knowing:)`` under way ends soon, and throws. May be called again.
    func close() async
}

extension EventCursor {
    /// The code of a refusal because of a text that is no cursor of the server.
    public static let invalidCode = "cursorInvalid"
}
