internal import CausewayHubRules
internal import CausewayHubStorage
internal import CausewayModels
internal import CausewayWire
internal import HTTPTypes

/// Records as JSON, for the accounts that may read them; the same for every kind.
struct RecordReader: Sendable {
    let storage: any HubStorage
    let kinds: HubKinds

    init(_ storage: any HubStorage, _ kinds: HubKinds) {
        self.storage = storage
        self.kinds = kinds
    }

    /// Returns the JSON of a `WireRecord`.
    ///
    /// - Throws: `HubHTTPError` 404 for a record that does not exist for the account; 500 for a damaged one, so that
    ///   clients keep the copies that they have.
    func record(_ key: RecordKey, for account: HubAccount) async throws -> ResponseParts {
        guard let keys = kinds.keys(toRead: key, by: account.user) else { throw Self.notFound(key.kind) }
        let state = try await storage.records(keys)
        // The right to read a damaged record cannot be checked without its fields; nothing of it is returned.
        if let row = state.rows[key], row.value == nil, !row.isDeleted { throw Self.damaged }
        guard kinds.mayRead(key, by: account.user, in: state), let row = state.rows[key] else {
            throw Self.notFound(key.kind)
        }
        return ResponseParts(try Self.encoded(row))
    }

    /// Returns the JSON of a `WireRecordPage`.
    ///
    /// - Throws: `HubHTTPError` 404 for a list that does not exist for the account.
    func page(
        of list: RecordList, _ range: RecordRange, limit: Int, for account: HubAccount
    ) async throws -> ResponseParts {
        guard let keys = kinds.keys(toRead: list, by: account.user),
            try await kinds.mayRead(list, by: account.user, in: storage.records(keys))
        else { throw HubHTTPError.notFound("no such list of the kind \(list.kind)", code: "listNotFound") }
        let bounds = PageLimit(count: limit, contentBytes: HubLimits.pageBytesMax)
        var page = try await storage.records(in: list, range, limit: bounds)
        if kinds.mayHide(list) { page.rows = try await readable(page.rows, by: account) }
        return try HubCoding.encode(
            PageHead(next: page.next?.text), with: "items", arrayOf: page.rows.map(Self.encoded))
    }

    /// Those of the records that the account may read, and damaged ones, of which only the id is known.
    private func readable(_ rows: [RecordRow], by account: HubAccount) async throws -> [RecordRow] {
        var keys = RecordKeys()
        for row in rows {
            if let needed = kinds.keys(toRead: row.key, by: account.user) { keys.formUnion(needed) }
        }
        let state = try await storage.records(keys)
        return rows.filter { $0.value == nil || kinds.mayRead($0.key, by: account.user, in: state) }
    }

    /// The fields are inserted as they were stored, without being parsed; `null` stands for damaged ones.
    static func encoded(_ row: RecordRow) throws -> [UInt8] {
        let head = RecordHead(id: row.key.id, kind: row.key.kind, version: row.version)
        return try HubCoding.encode(head, with: "value", (row.value ?? "null").utf8)
    }

    private static let damaged = HubHTTPError(
        .internalServerError, code: "storageFailed",
        detail: "the record's data are damaged; the hub's log has the details")

    private static func notFound(_ kind: RecordKind) -> HubHTTPError {
        .notFound("no such record of the kind \(kind)", code: "recordNotFound")
    }
}

/// A `WireRecordPage` without its items.
private struct PageHead: Encodable {
    let next: String?

    private enum CodingKeys: CodingKey { case next }

    /// `null` is part of the form.
    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(next, forKey: .next)
    }
}

/// A `WireRecord` without its value.
private struct RecordHead: Encodable {
    let id: String
    let kind: RecordKind
    let version: Int64
}
