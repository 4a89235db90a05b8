package import CausewayModels

/// A write to a record other than a message, as JSON. It is sent at once, not queued.
package struct RecordWriteRequest: Sendable, Hashable, Codable {
    package let kind: RecordKind
    package let id: String
    package let action: String
    package let arguments: JSONValue?

    package init(_ write: RecordWrite) {
        kind = write.kind
        id = write.record
        action = write.action
        arguments = write.arguments == .null ? nil : write.arguments
    }

    package var write: RecordWrite {
        RecordWrite(kind: kind, record: id, action: action, arguments: arguments ?? .null)
    }
}

/// The server's result of a write, as JSON.
package struct RecordWriteResponse: Sendable, Hashable, Codable {
    package let kind: RecordKind
    package let id: String
    /// The version that the write gave the record.
    package let version: Int64

    package init(_ write: RecordWrite, version: Int64) {
        kind = write.kind
        id = write.record
        self.version = version
    }
}
