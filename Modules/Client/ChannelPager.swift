import CausewayLiveQuery
import CausewayModels
import CausewayStorage
import CausewaySync
import CausewayTransport

/// The server side of a live collection of a channel: requests pages by position.
struct ChannelPager: RemoteSource {
    typealias Key = MessageQuery.Cursor

    let engine: SyncEngine
    let query: MessagesQuery
    let channel: ChannelID

    func load(_ page: RemoteSourcePage<Key>, hold: FrameHold) async throws -> LoadedRange<Key> {
        let range = range(of: page)
        let question = RemoteQuery(
            channel: channel, range: range, limit: count(of: page), filter: query.filter,
            includesDeleted: query.includesDeleted)
        let generation = engine.followedEvents.generation(of: channel)
        let response = try await engine.refresh(question, isAskedAgain: true) { hold.begin() }
        var loadedRange = loadedRange(of: response, to: range)
        loadedRange.generation = generation
        return loadedRange
    }

    /// The part of the channel that a page covers. It contains no information about the other side of the requested
    /// range.
    private func loadedRange(of page: RemotePage, to range: RemoteQuery.Range) -> LoadedRange<Key> {
        let positions = page.items.map(\.serverPosition.position) + page.deleted.map(\.serverPosition.position)
        // Changes name deleted messages, and do not describe them.
        let cursor = query.includesDeleted ? nil : page.cursor
        var (older, newer, newest): (Key?, Key?, Key?)
        switch range {
        case .newest:
            newest = (page.range.map { $0.upperBound - 1 } ?? positions.max()).map(Self.end)
        case .before(let position): newer = Self.end(max(position, 1) - 1)
        case .after(let position):
            older = position > 0 ? Self.start(min(position, Limits.positionMax) + 1) : nil
            if page.hasMore {
                newer = (page.range.map { $0.upperBound - 1 } ?? positions.max()).map(Self.end)
            } else {
                newest = Self.end(max(position, page.range.map { $0.upperBound - 1 } ?? positions.max() ?? position))
            }
        }
        if case .after = range {
        } else if page.hasMore {
            older = (page.range?.lowerBound ?? positions.min()).map(Self.start)
        }
        return query.direction == .ascending
            ? LoadedRange(start: older, end: newer, newest: newest, cursor: cursor)
            : LoadedRange(start: newer, end: older, newest: newest, cursor: cursor)
    }

    func loadChanges(since loadedRange: LoadedRange<Key>, hold: FrameHold) async throws -> LoadedRange<Key>? {
        let isAscending = query.direction == .ascending
        let (older, newer) = isAscending ? (loadedRange.start, loadedRange.end) : (loadedRange.end, loadedRange.start)
        guard let cursor = loadedRange.cursor, let last = newer ?? loadedRange.newest else { return nil }
        let from = max(older?.position ?? 1, 1)
        guard from <= last.position else { return nil }
        let question = RemoteChangesQuery(
            channel: channel, cursor: cursor, from: from, through: last.position, isOpen: newer == nil,
            limit: Limits.pageSizeMax)
        let generation = engine.followedEvents.generation(of: channel)
        guard let changes = try await engine.refreshChanges(question, willStore: { hold.begin() }) else { return nil }
        var loadedRange = loadedRange
        loadedRange.cursor = changes.cursor
        if newer == nil {
            loadedRange.newest = Self.end(max(last.position, changes.newest))
            loadedRange.generation = generation
        }
        return loadedRange
    }

    func isPlaced(_ key: Key) -> Bool { key.position != .max }

    /// Positions are integers, each assigned once.
    func placedCount(after newest: Key, through key: Key) -> Int { Int(clamping: key.position - newest.position) }

    var following: RemoteFollowing { RemoteFollowing(engine.followedEvents.phase) }

    func isBrought(through key: Key, after loadedRange: LoadedRange<Key>) -> Bool {
        engine.followedEvents.isBrought(through: key.position, in: channel, since: loadedRange.generation)
    }

    func key(above pruned: [ChannelID: Int64]) -> Key? { pruned[channel].map { Self.start($0 + 1) } }

    func concerns(_ channels: Set<ChannelID>) -> Bool { channels.contains(channel) }

    private func count(of page: RemoteSourcePage<Key>) -> Int {
        switch page {
        case .first: min(max(1, query.pageSize), Limits.pageSizeMax)
        case .next(_, let count), .previous(_, let count): count
        }
    }

    private func range(of page: RemoteSourcePage<Key>) -> RemoteQuery.Range {
        let isAscending = query.direction == .ascending
        switch page {
        case .first:
            switch query.anchor {
            case .first: return isAscending ? .after(position: 0) : .newest
            case .last: return isAscending ? .newest : .after(position: 0)
            // Undelivered messages follow all messages that the server has.
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

    /// A key before every message at this position and after every message at lower ones.
    private static func start(_ position: Int64) -> Key { Key(position: position, ordinal: .min) }

    private static func end(_ position: Int64) -> Key { Key(position: position, ordinal: .max) }
}
