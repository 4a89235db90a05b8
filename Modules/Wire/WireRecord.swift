package import CausewayModels

/// A record in the hub's responses: `GET /v1/records/{kind}/{id}`, and an item of a list.
///
/// A record that the account may not read is `404`, exactly as one that does not exist.
package struct WireRecord: Sendable, Hashable, Codable {
    package var kind: RecordKind
    package var id: String
    /// Larger means newer, within one history of the hub.
    package var version: Int64
    /// The fields; `null` in a list if the hub cannot read them.
    package var value: JSONValue

    package init(kind: RecordKind, id: String, version: Int64, value: JSONValue) {
        self.kind = kind
        self.id = id
        self.version = version
        self.value = value
    }
}

/// `GET /v1/records/{kind}?list=NAME&scope=S&after=CURSOR&order=ascending|descending&limit=N`.
///
/// `scope` is empty and `order` ascending unless given. A list that the account may not read is `404`, exactly as one
/// that does not exist.
package struct WireRecordPage: Sendable, Hashable, Codable {
    /// In the requested order.
    package var items: [WireRecord]
    /// The value of `after` for the next page: text that needs no escaping. `null` at the end of the list.
    package var next: String?

    package init(items: [WireRecord], next: String?) {
        self.items = items
        self.next = next
    }

    /// `null` is part of the form.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(items, forKey: .items)
        try container.encode(next, forKey: .next)
    }
}

/// The write of an operation of the kind `write`.
package struct WireRecordWrite: Sendable, Hashable, Codable {
    package var kind: RecordKind
    package var id: String
    package var action: String
    /// Absent if the action has none.
    package var arguments: JSONValue?

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
