package import CausewayModels
import CausewayOutbox
import CausewayStorage
package import CausewayTransport

/// Reading records other than messages from the server. The engine knows no kinds: its callers interpret the fields.
extension SyncEngine {
    /// Requests a page of a list and merges it into the store. For callers that repeat the request when notified that
    /// the server can be reached.
    ///
    /// - Parameters:
    ///   - interpret: the record with its lists; `nil` if its fields cannot be read, in which case the stored state is
    ///     left as it is.
    ///   - willStore: called immediately before the store is written.
    /// - Returns: the page; its records are stored by then, and the feed has reported them.
    package func refreshRecords(
        _ query: RemoteRecordsQuery, interpret: @escaping @Sendable (RemoteRecord) -> StoredRecord?,
        willStore: @escaping @Sendable () -> Void = {}
    ) async throws(SyncError) -> RemoteRecordsPage {
        let (transport, asked) = try connected()
        let number = recordReads.begin()
        defer { recordReads.end(number) }
        var query = query
        query.history = history
        let page: RemoteRecordsPage
        do throws(TransportError) {
            page = try await transport.records(query)
        } catch {
            if session?.id == asked, !Task.isCancelled { missedPage(error) }
            throw cause(of: error, in: asked)
        }
        let range = ListRange(
            list: query.list, direction: query.order == .ascending ? .ascending : .descending, after: query.after,
            through: page.next)
        try await merge(
            page.items.map { ($0.id, interpret($0)) }, range, number, asked, query.history, page.history, willStore)
        return page
    }

    /// Requests one record and stores it, or removes it if the server does not have it. For callers that repeat the
    /// request when notified that the server can be reached.
    package func refreshRecord(
        _ kind: RecordKind, _ id: String, interpret: @escaping @Sendable (RemoteRecord) -> StoredRecord?,
        willStore: @escaping @Sendable () -> Void = {}
    ) async throws(SyncError) {
        let (transport, asked) = try connected()
        let number = recordReads.begin()
        defer { recordReads.end(number) }
        let named = history
        let state: RemoteRecordState
        do throws(TransportError) {
            state = try await transport.record(kind, id, knowing: named)
        } catch {
            if session?.id == asked, !Task.isCancelled { missedPage(error) }
            throw cause(of: error, in: asked)
        }
        guard let record = state.record else {
            return try await removeRecord(kind, id, number, asked, named, state.history, willStore)
        }
        try await merge([(id, interpret(record))], nil, number, asked, named, state.history, willStore)
    }

    /// Merges records that were requested in the session `asked`.
    ///
    /// A record whose place another read covered meanwhile without listing it was removed before that read, or added
    /// after it: all lists are read again. It is not stored if that read was requested later.
    ///
    /// - Parameters:
    ///   - found: the ids of the records that the server returned; without the record if it cannot be read.
    ///   - named: the history that the request named.
    ///   - history: the history that the response named.
    private func merge(
        _ found: [(id: String, record: StoredRecord?)], _ range: ListRange?, _ number: Int, _ asked: SessionID,
        _ named: ServerHistory?, _ history: ServerHistory?, _ willStore: @escaping @Sendable () -> Void
    ) async throws(SyncError) {
        try await requestStoring { engine -> Result<Void, SyncError> in
            if let refusal = engine.refusal(of: history, named: named, asked) { return .failure(refusal) }
            let changes = engine.recordReads.changes(since: number)
            let present = found.compactMap(\.record).filter { !changes.isRemoved($0) }
            let records = present.filter { !changes.isPassedOver($0, isLater: true) }
            let kind = range?.list.kind ?? records.first?.kind
            let retained = (kind.flatMap { changes.stored[$0] } ?? []).union(found.map(\.id))
            let merge = RecordMerge(records, coverage: range, retained: retained)
            willStore()
            let stored = await engine.commitRecords(.mergeRecords(merge)) { reads in
                reads.noteStored(records, isRead: true)
                if let range { reads.noteCovered(range, retaining: retained, by: number) }
            }
            guard case .success = stored else { return stored }
            if present.contains(where: { changes.isPassedOver($0) }) {
                engine.tell(.stateDue)
                return stored
            }
            guard let range else { return stored }
            let unlisted = (changes.read[range.list.kind] ?? []).subtracting(found.map(\.id))
            return await engine.checkContradiction(unlisted, range)
        }
    }

    /// Has all lists read again if one of the records is in the range. A page of the range was requested before another
    /// read brought them, and does not list them: only the server can tell which of the two is newer.
    private func checkContradiction(_ unlisted: Set<String>, _ range: ListRange) async -> Result<Void, SyncError> {
        do throws(StoreError) {
            for id in unlisted {
                guard let cursor = try await store.record(range.list.kind, id)?.cursor(in: range.list),
                    range.contains(cursor)
                else { continue }
                tell(.stateDue)
                break
            }
        } catch {
            return .failure(.store(error))
        }
        return .success(())
    }

    private func removeRecord(
        _ kind: RecordKind, _ id: String, _ number: Int, _ asked: SessionID, _ named: ServerHistory?,
        _ history: ServerHistory?, _ willStore: @escaping @Sendable () -> Void
    ) async throws(SyncError) {
        try await requestStoring { engine -> Result<Void, SyncError> in
            if let refusal = engine.refusal(of: history, named: named, asked) { return .failure(refusal) }
            let changes = engine.recordReads.changes(since: number)
            if changes.stored[kind]?.contains(id) == true {
                // A page that was requested earlier may have brought it, or one that was requested later.
                if changes.read[kind]?.contains(id) == true { engine.tell(.stateDue) }
                return .success(())
            }
            willStore()
            return await engine.commitRecords(.removeRecord(kind, id)) { $0.noteRemoved(kind, id) }
        }
    }

    private func commitRecords(
        _ mutation: Mutation, _ note: (inout RecordReads) -> Void
    ) async -> Result<Void, SyncError> {
        let noted = history  // another response may move it on while the disk is waited for
        do throws(StoreError) {
            try await store.commit([mutation] + unkeptHistory)
        } catch {
            return .failure(.store(error))
        }
        keptHistory = noted
        note(&recordReads)
        return .success(())
    }

    /// The reason not to use a response: another session began, or the server's data has been replaced.
    func refusal(
        of history: ServerHistory?, named: ServerHistory?, _ asked: SessionID
    ) -> SyncError? {
        guard session?.id == asked else { return .noSession }
        if admit(history, named: named) { return nil }
        let error = TransportError.historyChanged(detail: "the server's data has been replaced")
        missedPage(error)
        return .transport(error)
    }
}
