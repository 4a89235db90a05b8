public import CausewayModels

/// The network port: the connection to one server for one account.
///
/// A transport is made by the factory that is registered for the scheme of the server's address
/// (``TransportRegistry``), and closed by the engine. The engine may replace one transport by another to the same
/// account at any time; nothing that matters for exactly-once delivery may be kept only in a transport.
///
/// Promises of every implementation. `CausewayTransportConformance` checks each of them; an implementation passes it
/// unchanged.
///
/// 1. **Errors are classified** as documented in ``TransportError``. If it is unknown whether a request arrived, the
///    error is `inDoubt`. A response that does not follow the protocol is no response.
/// 2. **No call waits indefinitely**: each has its time-outs, and ends soon after its task was cancelled or the
///    transport was closed.
/// 3. **A delivery is sent once for each call**: retries are the outbox's decision.
/// 4. **Outcomes are complete**: a report has exactly one outcome for each operation, in the order of the delivery, or
///    the call throws. A refused operation is an outcome, and does not stop those behind it.
/// 5. **Any number of tasks may call at once**; every call gets the response to its own request.
/// 6. **Results are the server's**: a message that was accepted is found by ``lookup(_:)`` and listed by
///    ``messages(_:)`` at the position of its outcome, and a repeat within the server's guarantees
///    (``TransportCapabilities/ordering-swift.property``) gets the same outcome again.
/// 7. **Texts are safe**: no error contains the token.
///
/// With ``TransportCapabilities/Ordering-swift.enum/sequenced``, moreover: an operation whose predecessor is missing
/// is answered `gap` with the lane's mark, and nothing from there on is applied; an operation that was fenced is never
/// applied, however late a copy of it arrives.
///
/// A server that knows neither lanes nor fences is connected through ``IdempotentTransport``.
public protocol Transport: Sendable {
    /// The guarantees and limits of this transport and its server; constant.
    var capabilities: TransportCapabilities { get }

    /// Contacts the server and checks that it is a Causeway server and accepts the account. Also the probe while
    /// offline.
    ///
    /// - Parameters:
    ///   - history: the server's history as the client knows it.
    ///   - outbox: the outbox whose marks are requested in case the history is another one now.
    func authenticate(
        knowing history: ServerHistory?, outbox: OutboxID?
    ) async throws(TransportError) -> ServerInfo

    /// Delivers an ordered batch of at most ``TransportCapabilities/batchOperationsMax`` operations.
    ///
    /// With any error except `inDoubt` and `serverFailed`, nothing of the batch was applied.
    func deliver(_ delivery: Delivery) async throws(TransportError) -> DeliveryReport

    /// Reads a page of a channel from the server.
    ///
    /// Throws ``TransportError/refused(code:detail:)`` if the account cannot read the channel.
    func messages(_ query: RemoteQuery) async throws(TransportError) -> RemotePage

    /// Reads the changes of a part of a channel since it was read, as of one moment; `nil` if they are too many, or
    /// unknown to the server, so that pages must be read instead.
    func changes(_ query: RemoteChangesQuery) async throws(TransportError) -> RemoteChanges?

    /// Reads a page of a list of records other than messages.
    ///
    /// Throws ``TransportError/refused(code:detail:)`` if the server has no such list, the account may not read it, or
    /// the server has no records of the kind.
    func records(_ query: RemoteRecordsQuery) async throws(TransportError) -> RemoteRecordsPage

    /// Reads one record.
    ///
    /// - Parameter history: the server's history as the client knows it.
    func record(
        _ kind: RecordKind, _ id: String, knowing history: ServerHistory?
    ) async throws(TransportError) -> RemoteRecordState

    /// Reads one message, whatever its channel: for a message of which nothing but the id is known.
    ///
    /// It is found by the ids that ``lookup(_:)`` finds. ``RemoteMessageState/message`` is `nil` if the server does not
    /// have it, if it was deleted there, or if the account may not read it; then nothing that is stored is removed.
    ///
    /// - Parameter history: the server's history as the client knows it.
    func message(
        _ id: MessageID, knowing history: ServerHistory?
    ) async throws(TransportError) -> RemoteMessageState

    /// Asks whether the server has a message; `nil` if it has not, or if the message was deleted there.
    func lookup(_ id: MessageID) async throws(TransportError) -> ServerPosition?

    /// The server's events; `nil` if it has none, so that changes must be requested.
    var events: (any EventSource)? { get }

    /// Typing and presence; `nil` if the server has none. A server with them has ``events``, too.
    var ephemeral: (any EphemeralEvents)? { get }

    /// Uploads and downloads of attachments; `nil` if the server stores none.
    var media: (any MediaStore)? { get }

    /// How requests travel at present, for display: `WebSocket`, or `HTTP: the WebSocket was refused (503)`; `nil` if
    /// there is only one way. May change at any time, and is asked for whenever it is shown; returns at once.
    var way: String? { get }

    /// The network has changed: connections that are kept for later calls may be dead, and are closed; those that are
    /// being opened are opened anew. Calls that were sent are not affected. Returns at once.
    func networkChanged()

    /// Ends all connections; calls under way throw ``TransportError/unreachable(detail:)`` or `inDoubt`, later ones
    /// `unreachable`. May be called again.
    func close() async
}

extension Transport {
    /// Default for servers that do not report changes.
    public func changes(_ query: RemoteChangesQuery) async throws(TransportError) -> RemoteChanges? { nil }

    /// Default for servers that return messages only in pages: none is found, so that a live message that is not stored
    /// does not exist until a page or an event brings it.
    public func message(
        _ id: MessageID, knowing history: ServerHistory?
    ) async throws(TransportError) -> RemoteMessageState { RemoteMessageState(nil) }

    /// Default for transports without kept connections.
    public func networkChanged() {}

    /// Default for servers without records.
    public func records(_ query: RemoteRecordsQuery) async throws(TransportError) -> RemoteRecordsPage {
        throw .noRecords(of: query.list.kind)
    }

    /// Default for servers without records.
    public func record(
        _ kind: RecordKind, _ id: String, knowing history: ServerHistory?
    ) async throws(TransportError) -> RemoteRecordState {
        throw .noRecords(of: kind)
    }

    /// Default for servers without events.
    public var events: (any EventSource)? { nil }

    /// Default for servers without typing and presence.
    public var ephemeral: (any EphemeralEvents)? { nil }

    /// Default for servers without attachments.
    public var media: (any MediaStore)? { nil }

    /// Default for transports with only one way to the server.
    public var way: String? { nil }

    /// Contacts the server without naming a known history.
    public func authenticate() async throws(TransportError) -> ServerInfo {
        try await authenticate(knowing: nil, outbox: nil)
    }
}

extension TransportError {
    /// The server has no records of this kind.
    package static func noRecords(of kind: RecordKind) -> TransportError {
        .refused(code: "kindUnknown", detail: "the server has no records of the kind \(kind)")
    }
}
