/// A write to a record other than a message: join a channel, rename it, change a member's role.
///
/// The kind of the record defines the actions and validates their arguments, on the client before the write is queued
/// and on the server before it is applied.
public struct RecordWrite: Sendable, Hashable {
    /// The kind of the record, which defines the actions.
    public var kind: RecordKind
    /// The record to write. It need not exist: an action may create it.
    public var record: String
    /// The name of the action within the kind: `join`.
    public var action: String
    /// The arguments of the action; at most ``Limits/recordBytesMax`` bytes as JSON.
    public var arguments: JSONValue

    /// Creates a write; nothing is checked before it is queued.
    public init(kind: RecordKind, record: String, action: String, arguments: JSONValue = .null) {
        self.kind = kind
        self.record = record
        self.action = action
        self.arguments = arguments
    }
}
