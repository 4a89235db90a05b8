public import CausewayLiveQuery
public import CausewayModels
public import CausewayRecords
package import CausewayStorage
import CausewaySync
import CausewayTransport

/// Observes and writes records of any kind.
///
/// Available as ``CausewayClient/records``. Thread-safe. Common kinds have repositories of their own:
/// ``CausewayClient/channels``, ``CausewayClient/channelMembers``.
///
/// Writes need the server's word: they are sent at once, not queued, and end with its result. Offline they throw
/// ``ClientError/transport(_:)`` with `unreachable`, and nothing was sent. Each has an id of its own, so a request that
/// is repeated because its response was lost has no second effect; after `inDoubt` the live objects show whether the
/// server has applied it. The server's reason to refuse a write comes as `refused`.
public struct RecordRepository: Sendable {
    let engine: SyncEngine
    let store: any Store
    let live: LiveQueryEngine
    let server: LiveServer

    /// One record, by its id: the stored one at once, the server's as soon as it responds, and every change from then
    /// on. `snapshot` is `nil` while it does not exist for the account.
    @MainActor
    public func getRecord<Value: Record>(_ kind: Value.Type, _ id: Value.ID) -> LiveObject<Value> {
        live.object(RecordQuery<Value>(id), on: server)
    }

    /// The records of a list, by its key: the stored ones at once, the server's as soon as it responds, and every
    /// change from then on.
    ///
    /// - Parameters:
    ///   - kind: the kind of the records.
    ///   - list: a list of the kind.
    ///   - direction: `.ascending` shows the lowest keys first.
    ///   - pageSize: 1 to ``LiveLimits/pageSizeMax``.
    @MainActor
    public func getRecords<Value: Record>(
        _ kind: Value.Type, in list: RecordList, direction: LiveDirection = .ascending,
        pageSize: Int = Limits.pageSizeDefault
    ) -> LiveCollection<Value> {
        live.collection(RecordsQuery<Value>(list, direction: direction, pageSize: pageSize), on: server)
    }

    /// Sends a write, waits for the server's result, and reads the record again, so that live objects show it.
    ///
    /// Throws ``ClientError/noSession``, and ``ClientError/transport(_:)`` as described above.
    ///
    /// - Returns: the version that the write gave the record.
    @discardableResult
    public func write<Value: Record>(_ write: RecordWrite, of kind: Value.Type) async throws(ClientError) -> Int64 {
        if let problem = kind.problem(with: write) {
            throw .transport(.refused(code: problem.code, detail: problem.detail))
        }
        let position: ServerPosition
        do throws(SyncError) { position = try await engine.write(write) } catch { throw ClientError(error) }
        if let id = Value.ID(write.record) { await refresh(kind, id) }
        return position.position
    }

    /// A page of the stored records of a list.
    package func storedPage(_ query: RecordListQuery) async throws(ClientError) -> RecordListPage {
        do throws(StoreError) { return try await store.records(query) } catch { throw ClientError(error) }
    }

    /// A page of a list as the server has it; its records are stored by then. Those that cannot be read are left out.
    package func refreshedPage<Value: Record>(
        _ kind: Value.Type, _ query: RecordListQuery
    ) async throws(ClientError) -> RecordListPage {
        do throws(SyncError) {
            let page = try await engine.refreshRecords(
                RemoteRecordsQuery(
                    list: query.list, order: query.direction == .ascending ? .ascending : .descending,
                    after: query.after, limit: query.limit)
            ) { $0.stored(as: kind) }
            return RecordListPage(records: page.items.compactMap { $0.stored(as: kind) }, next: page.next)
        } catch {
            throw ClientError(error)
        }
    }

    /// Reads a record that the server has changed. An error is not reported: live objects request the record again.
    func refresh<Value: Record>(_ kind: Value.Type, _ id: Value.ID) async {
        try? await engine.refreshRecord(Value.kind, id.description) { $0.stored(as: Value.self) }
    }

    /// Throws ``ClientError/noSession``.
    func currentUser() throws(ClientError) -> UserID {
        guard let user = engine.currentSession?.user else { throw .noSession }
        return user
    }
}
