package import CausewayModels

/// A page of a list of records other than messages, and whether the server is asked first.
package struct RecordPageRequest: Sendable, Hashable {
    package var list: RecordList
    /// Reads the highest keys first.
    package var isDescending: Bool
    /// 1 to ``Limits/pageSizeMax``.
    package var limit: Int
    /// The cursor of the page; `nil` for the first page.
    package var after: ListCursor?
    package var refresh: ChannelQuery.Refresh

    package init(
        list: RecordList, isDescending: Bool = false, limit: Int = Limits.pageSizeDefault, after: ListCursor? = nil,
        refresh: ChannelQuery.Refresh = .auto
    ) {
        self.list = list
        self.isDescending = isDescending
        self.limit = min(max(1, limit), Limits.pageSizeMax)
        self.after = after
        self.refresh = refresh
    }
}

/// A page of records, as JSON.
package struct RecordPageResponse: Sendable, Hashable, Codable {
    /// In the requested order.
    package var records: [RecordDTO]
    /// The cursor of the next page; absent on the last page.
    package var next: String?
    /// Whether the page is the server's; otherwise it is the stored one.
    package var refreshed: Bool
    /// Why the server could not be asked.
    package var refreshProblem: String?

    package init(_ records: [RecordDTO], next: ListCursor?, refreshed: Bool, refreshProblem: String? = nil) {
        self.records = records
        self.next = next?.text
        self.refreshed = refreshed
        self.refreshProblem = refreshProblem
    }

    /// Adds the page after this one. Together they are the server's if both are.
    package mutating func append(_ page: RecordPageResponse) {
        records += page.records
        next = page.next
        refreshed = refreshed && page.refreshed
        refreshProblem = refreshProblem ?? page.refreshProblem
    }
}

/// A record as JSON.
package struct RecordDTO: Sendable, Hashable, Codable {
    package let kind: RecordKind
    package let id: String
    package let version: Int64
    /// The fields.
    package let value: JSONValue

    package init(kind: RecordKind, id: String, version: Int64, value: JSONValue) {
        self.kind = kind
        self.id = id
        self.version = version
        self.value = value
    }
}
