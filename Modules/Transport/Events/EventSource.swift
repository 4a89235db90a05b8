public import CausewayModels

/// A server's log of changes, as one account may read it.
///
/// The log only points: an event reports that a record of a topic has a new version, with the record's newest state.
/// Reading it needs no state on the server but the cursor, so a reader that was away continues where it was, over
/// another connection, another carrier (WebSocket, server-sent events, long poll) or another instance of the server.
///
/// **Start.** Take the cursor with ``currentCursor()``, then read state (pages, lists), then the events from the
/// cursor. Events that the state includes already are repeated; they have the version that the reader has, or an
/// older one, and change nothing.
///
/// Promises of every implementation:
///
/// 1. Old state, and every event since its cursor, is the state of now.
/// 2. Events of one record come in the order of their versions. A batch has each record at most once.
/// 3. A cursor covers everything up to it: the reader commits it in the transaction that stores what came with it, and
///    loses nothing if it ends before.
/// 4. Rights are checked when reading: after a removal, a cursor yields nothing more of that topic.
/// 5. Errors are classified as for ``Transport``. No event is lost by one: the reader continues from its last cursor.
public protocol EventSource: Sendable {
    /// The end of the log at this moment.
    func currentCursor() async throws(TransportError) -> EventCursor

    /// Opens a stream of the events after `cursor`. Returns when the server has accepted the cursor.
    ///
    /// The events of all topics that the account can read; there is no subscription to single topics to be renewed
    /// after a reconnection.
    func open(from cursor: EventCursor) async throws(TransportError) -> any EventStream
}

/// One open stream of an ``EventSource``, read by one task.
///
/// **Flow.** Nothing is pushed: the next batch is read from the network when ``next()`` is called, apart from a bounded
/// number of bytes that are under way. A slow reader therefore holds a position in the log, not a queue.
public protocol EventStream: Sendable {
    /// Waits for the next part of the log.
    ///
    /// Waits as long as there is nothing new: the stream detects a dead connection by the server's signs of life, and
    /// throws then. Ends soon after the task was cancelled. After an error, and after ``EventPart/reset(_:)``, every
    /// later call throws `unreachable`: open another stream.
    func next() async throws(TransportError) -> EventPart

    /// Ends the stream; a call of ``next()`` under way throws `unreachable`. May be called again.
    func close() async
}
