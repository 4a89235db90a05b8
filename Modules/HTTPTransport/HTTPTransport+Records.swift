public import CausewayModels
public import CausewayTransport
import CausewayWire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Records other than messages.
extension HTTPTransport {
    public func records(_ query: RemoteRecordsQuery) async throws(TransportError) -> RemoteRecordsPage {
        let (page, history) = try await ask(requests.records(query), as: WireRecordPage.self, .records)
        let items = page.items.compactMap { $0.record(of: query.list.kind) }
        guard items.count == page.items.count, items.count <= query.limit else {
            throw parser.foreign("a page with records that do not fit the request")
        }
        var next: ListCursor?
        if let text = page.next {
            guard let cursor = ListCursor(text), query.isProgress(cursor) else {
                throw parser.foreign("a page that leads nowhere")
            }
            next = cursor
        }
        var remote = RemoteRecordsPage(items: items, next: next)
        remote.history = history
        return remote
    }

    public func record(
        _ kind: RecordKind, _ id: String, knowing history: ServerHistory?
    ) async throws(TransportError) -> RemoteRecordState {
        let response = try await send(requests.record(kind, id, knowing: history), .records)
        let present = parser.history(of: response)
        guard let found = try parser.found(WireRecord.self, in: response, .records) else {
            return RemoteRecordState(nil, history: present)
        }
        guard found.id == id, let record = found.record(of: kind) else {
            throw parser.foreign("it is a different record than the requested one")
        }
        return RemoteRecordState(record, history: present)
    }
}

extension RemoteRecordsQuery {
    /// True for a cursor beyond the requested position.
    fileprivate func isProgress(_ cursor: ListCursor) -> Bool {
        guard let after else { return true }
        return order == .ascending ? after < cursor : cursor < after
    }
}

extension WireRecord {
    /// The record; `nil` if it is of another kind, or a part of it is beyond its limit.
    fileprivate func record(of expected: RecordKind) -> RemoteRecord? {
        guard kind == expected, let value = JSONWriter.text(of: value) else { return nil }
        let record = RemoteRecord(kind: kind, id: id, version: version, value: Data(value))
        return record.isInRange ? record : nil
    }
}
