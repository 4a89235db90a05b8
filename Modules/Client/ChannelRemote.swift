import CausewayLive
import CausewayModels
import CausewayStorage
import CausewaySync
import CausewayTransport
import Synchronization

/// The server's part of a live collection of a channel: asks for pages by position, one after the other from where the
/// collection began, so that what it has asked for has no holes whatever was stored before.
final class ChannelRemote: LiveRemote {
    /// The positions between which everything was asked for.
    private struct Covered {
        var lowest: Int64?
        var highest: Int64?
    }

    private let engine: SyncEngine
    private let query: MessagesQuery
    private let channel: ChannelID
    private let covered = Mutex(Covered())

    init(engine: SyncEngine, query: MessagesQuery, channel: ChannelID) {
        self.engine = engine
        self.query = query
        self.channel = channel
    }

    func load(_ page: LiveRemotePage) async throws -> Bool {
        guard let range = range(of: page) else { return false }
        let limit = min(max(1, query.pageSize), Limits.pageSizeMax)
        let answer = try await engine.refresh(RemoteQuery(channel: channel, range: range, limit: limit))
        covered.withLock { covered in
            if page == .first { covered = Covered() }
            for position in answer.items.map(\.placement.position) {
                covered.lowest = min(covered.lowest ?? position, position)
                covered.highest = max(covered.highest ?? position, position)
            }
        }
        return answer.hasMore
    }

    private func range(of page: LiveRemotePage) -> RemoteQuery.Range? {
        let isAscending = query.direction == .ascending
        switch page {
        case .first:
            switch query.anchor {
            case .first: return isAscending ? .after(position: 0) : .newest
            case .last: return isAscending ? .newest : .after(position: 0)
            // What is undelivered lies behind everything that the server has.
            case .at(let cursor): return cursor.position == .max ? .newest : .after(position: cursor.position - 1)
            }
        case .next: return isAscending ? newer : older
        case .previous: return isAscending ? older : newer
        }
    }

    private var older: RemoteQuery.Range? {
        covered.withLock { $0.lowest }.map { .before(position: $0) }
    }

    private var newer: RemoteQuery.Range? {
        covered.withLock { $0.highest }.map { .after(position: $0) }
    }
}
