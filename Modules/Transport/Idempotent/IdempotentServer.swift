public import CausewayModels

/// A server that applies single operations, recognises their ids for a limited time, and can be asked about them.
///
/// The small protocol for servers that are not ours; ``IdempotentTransport`` makes a ``Transport`` of it. The promises
/// 1, 2, 3, 5 and 7 of ``Transport`` hold for every call here, too.
public protocol IdempotentServer: Sendable {
    /// Contacts the server and checks that it accepts the account. Also the probe while offline.
    func authenticate() async throws(TransportError) -> ServerInfo

    /// Applies one operation: never a `fence`.
    ///
    /// A repeat of an id within the server's window has no second effect and gets the first result. Returns when the
    /// operation has been applied or refused for good; throws `transient` or `rateLimited` if it can be applied later.
    func apply(_ operation: DeliveryOperation.Body) async throws(TransportError) -> OperationResult

    /// Asks for the message with this id, or the message that the operation with this id changed; `nil` if the server
    /// does not have it or does not keep the ids of such operations.
    func lookup(_ id: MessageID) async throws(TransportError) -> ServerPosition?

    /// Reads one message, as ``Transport/message(_:knowing:)``; `nil` if the account cannot read it.
    func message(_ id: MessageID) async throws(TransportError) -> RemoteMessage?

    /// Reads a page of a channel.
    func messages(_ query: RemoteQuery) async throws(TransportError) -> RemotePage

    /// Reads a page of a list of records, as ``Transport/records(_:)``.
    func records(_ query: RemoteRecordsQuery) async throws(TransportError) -> RemoteRecordsPage

    /// Reads one record, as ``Transport/record(_:_:knowing:)``; `nil` if it does not exist for the account.
    func record(_ kind: RecordKind, _ id: String) async throws(TransportError) -> RemoteRecord?

    /// Ends all connections, as ``Transport/close()``.
    func close() async
}

extension IdempotentServer {
    /// Default for servers that return messages only in pages.
    public func message(_ id: MessageID) async throws(TransportError) -> RemoteMessage? { nil }

    /// Default for servers without records.
    public func records(_ query: RemoteRecordsQuery) async throws(TransportError) -> RemoteRecordsPage {
        throw .noRecords(of: query.list.kind)
    }

    /// Default for servers without records.
    public func record(_ kind: RecordKind, _ id: String) async throws(TransportError) -> RemoteRecord? {
        throw .noRecords(of: kind)
    }
}

/// The result of one operation on an ``IdempotentServer``.
public enum OperationResult: Sendable, Hashable {
    /// Applied; the position is that of the message, or of the message that the operation changed.
    case accepted(ServerPosition)
    /// The message is no longer on the server.
    case deleted
    /// Refused permanently.
    case refused(code: String, detail: String)
    /// Refused because the message that it refers to is not on the server.
    case unrelated(detail: String)
}
