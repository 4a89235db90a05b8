public import CausewayModels

/// The way to one server for one account: the one port of the network.
///
/// What an implementation promises:
///
/// 1. **Errors are classified** as ``TransportError`` says. In doubt whether a request left, it says `inDoubt`.
/// 2. **No call waits for ever**: each has its time-outs, and ends soon after its task was cancelled.
/// 3. **A delivery is never repeated by the transport itself**: retries are the outbox's decision.
/// 4. **Outcomes are complete**: a report has exactly one outcome for each operation, or the call throws.
/// 5. Any number of tasks may call at once.
public protocol Transport: Sendable {
    var capabilities: TransportCapabilities { get }

    /// Reaches the server and makes sure that it is one and takes the account. Also the probe when offline.
    ///
    /// - Parameters:
    ///   - history: the server's history as the client knows it.
    ///   - outbox: whose marks are wanted when the history is another one now.
    func greet(
        knowing history: ServerHistory?, outbox: OutboxID?
    ) async throws(TransportError) -> ServerGreeting

    /// Hands over an ordered batch.
    func deliver(_ delivery: Delivery) async throws(TransportError) -> DeliveryReport

    /// Reads a page of a channel from the server.
    func messages(_ query: RemoteQuery) async throws(TransportError) -> RemotePage

    /// Reads the changes of a part of a channel since it was read, as of one moment; `nil` when they are too many, or
    /// the server cannot tell, so that pages must be read instead.
    func changes(_ query: RemoteChangesQuery) async throws(TransportError) -> RemoteChanges?

    /// Asks whether the server has a message; `nil` when it has not.
    func lookup(_ id: MessageID) async throws(TransportError) -> Placement?

    /// Ends all connections; calls under way throw ``TransportError/unreachable(detail:)`` or `inDoubt`.
    func close() async
}

extension Transport {
    /// For servers that do not report changes.
    public func changes(_ query: RemoteChangesQuery) async throws(TransportError) -> RemoteChanges? { nil }

    /// Reaches the server as one who has never seen it.
    public func greet() async throws(TransportError) -> ServerGreeting {
        try await greet(knowing: nil, outbox: nil)
    }
}
