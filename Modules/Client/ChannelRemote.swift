import CausewayLive
import CausewayModels
import CausewayStorage
import CausewaySync
import CausewayTransport

/// The server's part of a live collection of a channel: asks for pages by position.
struct ChannelRemote: LiveRemote {
    typealias Key = MessageQuery.Cursor

    let engine: SyncEngine
    let query: MessagesQuery
    let channel: ChannelID

    func load(_ page: LiveRemotePage<Key>) async throws -> LiveReach<Key> {
        let range = range(of: page)
        let question = RemoteQuery(channel: channel, range: range, limit: count(of: page))
        let answer = try await engine.refresh(question, isAskedAgain: true)
        var (older, newer) = ends(of: range)
        let positions = answer.items.map(\.placement.position)
        switch range {
        case .newest, .before: older = answer.hasMore ? positions.min().map(Self.start) : nil
        case .after: newer = answer.hasMore ? positions.max().map(Self.end) : nil
        }
        return query.direction == .ascending ? LiveReach(start: older, end: newer) : LiveReach(start: newer, end: older)
    }

    private func count(of page: LiveRemotePage<Key>) -> Int {
        switch page {
        case .first: min(max(1, query.pageSize), Limits.pageSizeMax)
        case .next(_, let count), .previous(_, let count): count
        }
    }

    private func range(of page: LiveRemotePage<Key>) -> RemoteQuery.Range {
        let isAscending = query.direction == .ascending
        switch page {
        case .first:
            switch query.anchor {
            case .first: return isAscending ? .after(position: 0) : .newest
            case .last: return isAscending ? .newest : .after(position: 0)
            // What is undelivered lies behind everything that the server has.
            case .at(let cursor) where cursor.position == .max: return .newest
            case .at(let cursor):
                let position = min(max(cursor.position, 1), Limits.positionMax)
                return isAscending ? .after(position: position - 1) : .before(position: position + 1)
            }
        case .next(let key, _):
            return isAscending ? .after(position: key.position) : .before(position: key.position)
        case .previous(let key, _):
            return isAscending ? .before(position: key.position) : .after(position: key.position)
        }
    }

    /// How far a page can say anything: what lies at the other side of its range was not asked for.
    private func ends(of range: RemoteQuery.Range) -> (older: Key?, newer: Key?) {
        switch range {
        case .newest: (nil, nil)
        case .after(let position):
            (position > 0 ? Self.start(min(position, Limits.positionMax) + 1) : nil, nil)
        case .before(let position): (nil, Self.end(max(position, 1) - 1))
        }
    }

    /// Before every message at this position, and behind everything at the one below.
    private static func start(_ position: Int64) -> Key { Key(position: position, ordinal: .min) }

    private static func end(_ position: Int64) -> Key { Key(position: position, ordinal: .max) }
}
