public import CausewayModels

/// The network port: the connection to one server for one account.
///
/// Guarantees of every implementation:
///
/// 1. **Errors are classified** as documented in ``TransportError``. If it is unknown whether a request was sent, the
///    error is `inDoubt`.
/// 2. **No call waits indefinitely**: each has its time-outs, and ends soon after its task was cancelled.
/// 3. **A delivery is never repeated by the transport itself**: retries are the outbox's decision.
/// 4. **Outcomes are complete**: a report has exactly one outcome for each operation, or the call throws.
/// 5. Any number of tasks may call at once.
public protocol Transport: Sendable {
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

    /// Delivers an ordered batch.
    func deliver(_ delivery: Delivery) async throws(TransportError) -> DeliveryReport

    /// Reads a page of a channel from the server.
    func messages(_ query: RemoteQuery) async throws(TransportError) -> RemotePage

    /// Reads the changes of a part of a channel since it was read, as of one moment; `nil` if they are too many, or
    /// unknown to the server, so that pages must be read instead.
    func changes(_ query: RemoteChangesQuery) async throws(TransportError) -> RemoteChanges?

    /// Asks whether the server has a message; `nil` if it has not.
    func lookup(_ id: MessageID) async throws(TransportError) -> ServerPosition?

    /// Ends all connections; calls under way throw ``TransportError/unreachable(detail:)`` or `inDoubt`.
    func close() async
}

extension Transport {
    /// Default for servers that do not report changes.
    public func changes(_ query: RemoteChangesQuery) async throws(TransportError) -> RemoteChanges? { nil }

    /// Contacts the server without naming a known history.
    public func authenticate() async throws(TransportError) -> ServerInfo {
        try await authenticate(knowing: nil, outbox: nil)
    }
}
