import CausewayHubRules
import CausewayHubStorage
import CausewayModels

/// A serving storage with two accounts, and short forms for what happens on it.
struct Site: Sendable {
    /// One change of a group. Messages are numbers.
    enum Step: Sendable {
        case send(
            Int, by: Int64, in: ChannelID = Site.general, content: String = Site.content("text"), parent: Int? = nil,
            tags: [String] = [])
        case edit(Int, content: String, at: Int64 = 50)
        case react(Int, String, by: Int64, isAdded: Bool = true, at: Int64 = 60)
        case delete(Int)
        /// An accepted edit or reaction.
        case operation(Int, on: Int, by: Int64)
        case note(Int, by: Int64)
        case take(Int, by: Int64)
        case lane(String, mark: Int64, mover: UInt64? = nil, outbox: UInt64 = 1, by: Int64)
        case bar(UInt64, outbox: UInt64 = 1, by: Int64)
        /// The record with this id, in these lists with this key; deleted without lists.
        case record(String, version: Int64, value: String, lists: [String]? = nil, key: Int64 = 0)
        case write(Int, version: Int64, by: Int64)
        /// The membership of a user in a channel, which begins or ends.
        case member(UserID, in: ChannelID = Site.general, version: Int64, isMember: Bool = true)
    }

    static let general = channel("general")
    static let second = channel("second")
    static let ada = user("ada")
    static let bob = user("bob")

    let storage: any HubStorage
    let ada: Int64
    let bob: Int64

    init(_ factory: HubStorageFactory) async throws {
        let storage = try await factory.make()
        try await storage.beginOpening(Self.bytes(1))
        for (user, digest) in [(Self.ada, 1), (Self.bob, 2)] {
            try await storage.addAccount(user, tokenDigest: Self.digest(UInt8(digest)), at: Self.time(1))
        }
        try await self.init(storage)
    }

    /// A site on a storage that was one before.
    init(_ storage: any HubStorage) async throws {
        self.storage = storage
        let accounts = try await storage.accounts()
        ada = accounts.first { $0.user == Self.ada }?.number ?? 0
        bob = accounts.first { $0.user == Self.bob }?.number ?? 0
    }

    /// Stores a group, as one commit of a lane.
    @discardableResult
    func apply(_ steps: [Step]) async throws -> DeliveryState {
        var keys = Self.keys(of: steps)
        if keys.lanes.isEmpty { keys.lanes = [Self.lane("text", 99, ada)] }
        return try await storage.transact(loading: keys) { [keys] state in
            var changes = DeliveryChanges(lastCommit: state.lastCommit + 1)
            for step in steps { Self.apply(step, to: &changes, state) }
            if changes.lanes.isEmpty, let lane = keys.lanes.first {
                changes.outboxes[lane.outbox] = .init(epoch: 1, opening: nil)
                changes.lanes[lane] = .init(mark: changes.lastCommit, mover: nil, commit: changes.lastCommit)
            }
            return DeliveryDecision(changes: changes, value: state)
        }
    }

    func load(_ keys: DeliveryKeys) async throws -> DeliveryState {
        try await storage.transact(loading: keys) { state in
            DeliveryDecision(changes: DeliveryChanges(lastCommit: state.lastCommit), value: state)
        }
    }

    /// Returns the numbers of a page's messages, in their order.
    func page(
        _ range: MessageRange, matching filter: MessageFilter = MessageFilter(), includesDeleted: Bool = false,
        limit: Int = 100, bytes: Int = .max, in channel: ChannelID = Site.general
    ) async throws -> MessagePage {
        let bounds = PageLimit(count: limit, contentBytes: bytes)
        return try await storage.page(
            of: channel, range, matching: filter, includesDeleted: includesDeleted, limit: bounds, for: ada)
    }

    /// Reads a whole channel page by page, and returns the messages that satisfy the filter.
    func search(
        _ filter: MessageFilter, includesDeleted: Bool = false, isDescending: Bool, limit: Int
    ) async throws -> [MessageID] {
        var found: [MessageID] = []
        var range = isDescending ? MessageRange.newest : .after(0)
        while true {
            let page = try await page(range, matching: filter, includesDeleted: includesDeleted, limit: limit)
            found += page.ids
            guard page.hasMore else { return found }
            let end = page.lastExamined ?? page.messages.last?.position
            try require(end != nil, "a page that has more ends nowhere")
            let last = end ?? 0
            switch range {
            case .before(let position): try require(last < position, "a search makes no progress")
            case .after(let position): try require(last > position, "a search makes no progress")
            case .newest: break
            }
            range = isDescending ? .before(last) : .after(last)
        }
    }

    func changes(
        since cursor: ChangesCursor, from: Int64 = 1, through: Int64 = 0, isOpen: Bool = true, limit: Int = 100
    ) async throws -> ChannelChanges {
        let query = ChangesQuery(since: cursor, from: from, through: through, isOpen: isOpen)
        let bounds = PageLimit(count: limit, contentBytes: .max)
        return try await storage.changes(of: Self.general, query, limit: bounds, for: ada)
    }

    // MARK: - Groups

    static func keys(of steps: [Step]) -> DeliveryKeys {
        var keys = DeliveryKeys()
        for step in steps {
            switch step {
            case .send(let number, let account, let channel, _, let parent, _):
                keys.messages.insert(id(number))
                keys.channels.insert(channel)
                keys.earlyDeletions.insert(AccountMessage(account: account, message: id(number)))
                if let parent { keys.messages.insert(id(parent)) }
            case .edit(let number, _, _), .delete(let number): keys.messages.insert(id(number))
            case .react(let number, _, let account, _, _):
                keys.messages.insert(id(number))
                keys.reactions.insert(AccountMessage(account: account, message: id(number)))
            case .operation(let number, let target, _):
                keys.operations.insert(id(number))
                keys.messages.insert(id(target))
            case .note(let number, let account), .take(let number, let account):
                keys.earlyDeletions.insert(AccountMessage(account: account, message: id(number)))
            case .lane(let name, _, _, let outbox, let account): keys.lanes.insert(lane(name, outbox, account))
            case .bar(let opening, let outbox, let account):
                keys.lanes.insert(lane("text", outbox, account))
                keys.openings.insert(Self.opening(opening, outbox, account))
            case .record(let id, _, _, _, _): keys.records.records.insert(record(id))
            case .write(let number, _, _): keys.writes.insert(id(number))
            case .member(let user, let channel, _, _): keys.records.records.insert(membership(of: user, in: channel))
            }
        }
        return keys
    }

    private static func apply(_ step: Step, to changes: inout DeliveryChanges, _ state: DeliveryState) {
        let commit = changes.lastCommit
        switch step {
        case .send(let number, let account, let channel, let content, let parent, let tags):
            let position = (changes.channels[channel] ?? state.channels[channel] ?? state.records.floor) + 1
            changes.channels[channel] = position
            changes.newMessages.append(
                .init(
                    id: id(number), channel: channel, position: position, sender: account, content: content,
                    createdAt: time(Int64(number)), acceptedAt: time(position), parent: parent.map(id),
                    tags: tags))
        case .edit(let number, let content, let at):
            changes.messages[id(number)] = .edited(
                content: content, editedAt: time(at), changedAt: time(at), commit: commit)
        case .react(let number, let name, let account, let isAdded, let at):
            changes.messages[id(number)] = .reacted(at: time(at), commit: commit)
            changes.reactions[id(number), default: [:]][Reaction(name: name, account: account)] = isAdded
        case .delete(let number): changes.messages[id(number)] = .deleted(at: time(70), commit: commit)
        case .operation(let number, let target, let account):
            changes.newOperations.append(
                .init(id: id(number), sender: account, message: id(target), acceptedAt: time(80)))
        case .note(let number, let account):
            changes.notedDeletions.append(AccountMessage(account: account, message: id(number)))
        case .take(let number, let account):
            changes.takenDeletions.insert(AccountMessage(account: account, message: id(number)))
        case .lane(let name, let mark, let mover, let outbox, let account):
            let key = lane(name, outbox, account)
            changes.outboxes[key.outbox] = .init(epoch: mark, opening: mover.map(opening))
            changes.lanes[key] = .init(mark: mark, mover: mover.map(opening), operation: id(Int(mark)), commit: commit)
        case .bar(let number, let outbox, let account):
            changes.barred.insert(opening(number, outbox, account))
        case .record(let id, let version, let value, let lists, let key):
            changes.records[record(id)] = change(id, version: version, value: value, lists: lists, key: key)
        case .member(let user, let channel, let version, let isMember):
            let change = membership(of: user, in: channel, version: version, isMember: isMember)
            changes.records[change.row.key] = change
        case .write(let number, let version, let account):
            changes.newWrites.append(
                .init(id: id(number), sender: account, version: version, acceptedAt: time(90)))
        }
    }

    // MARK: - Records

    static let kind: RecordKind = "thing"

    static func record(_ id: String) -> RecordKey { RecordKey(kind: kind, id: id) }

    /// - Parameter lists: names and scopes, as `name/scope`; none to delete the record, `nil` to keep its lists.
    static func change(
        _ id: String, version: Int64, value: String, lists: [String]?, key: Int64 = 0
    ) -> RecordChange {
        let entries = lists?.map { list in
            let parts = list.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
            return ListEntry(parts[0], scope: parts.count > 1 ? parts[1] : "", key: ListKey(key))
        }
        return RecordChange(
            row: RecordRow(key: record(id), version: version, value: value, isDeleted: lists == []), entries: entries,
            topics: [.channel(general)])
    }

    static func membership(of user: UserID, in channel: ChannelID = Site.general) -> RecordKey {
        guard case .whileExists(let key) = TopicRights(of: user).access(to: .channel(channel)) else {
            preconditionFailure("A channel is read by its members.")
        }
        return key
    }

    static func membership(
        of user: UserID, in channel: ChannelID, version: Int64, isMember: Bool
    ) -> RecordChange {
        let row = RecordRow(
            key: membership(of: user, in: channel), version: version, value: "{}", isDeleted: !isMember)
        let list = TopicRights(of: user).grants
        return RecordChange(
            row: row, entries: isMember ? [ListEntry(list.name, scope: list.scope, key: ListKey(version))] : [],
            topics: [.channel(channel), .account(user)], isNew: isMember)
    }

    /// Stores changes of records outside of a delivery.
    func put(_ changes: RecordChange...) async throws {
        let keys = RecordKeys(records: Set(changes.map(\.row.key)))
        try await storage.changeRecords(loading: keys) { _ in
            RecordDecision(changes: Dictionary(changes.map { ($0.row.key, $0) }) { $1 }, value: ())
        }
    }

    /// Returns the records of a list, by pages of this many.
    func list(
        _ name: String, scope: String = "", descending: Bool = false, by count: Int = 100, after: ListCursor? = nil
    ) async throws -> [String] {
        var ids: [String] = []
        var range = RecordRange(after: after, isDescending: descending)
        repeat {
            let page = try await storage.records(
                in: RecordList(kind: Self.kind, name: name, scope: scope), range,
                limit: PageLimit(count: count, contentBytes: .max))
            try require(page.rows.count <= count, "more records than the limit of a page")
            ids += page.rows.map(\.key.id)
            try require(Set(ids).count == ids.count, "a record is on two pages of the list: \(ids)")
            range.after = page.next
        } while range.after != nil
        return ids
    }

    // MARK: - Values

    static func id(_ number: Int) -> MessageID {
        MessageID(UUIDv7(high: 0x0190_A6B2_0000_7000, low: 0x8000_0000_0000_0000 + UInt64(number)))
    }

    static func opening(_ number: UInt64) -> OpeningID { OpeningID(UUIDv7(high: 0x0190_A6B2_0000_7001, low: number)) }

    static func outbox(_ number: UInt64, _ account: Int64) -> OutboxKey {
        OutboxKey(account: account, id: OutboxID(UUIDv7(high: 0x0190_A6B2_0000_7002, low: number)))
    }

    static func lane(_ name: String, _ outbox: UInt64, _ account: Int64) -> LaneKey {
        LaneKey(outbox: Self.outbox(outbox, account), lane: LaneID(rawValue: name))
    }

    static func opening(_ number: UInt64, _ outbox: UInt64, _ account: Int64) -> OpeningKey {
        OpeningKey(outbox: Self.outbox(outbox, account), opening: opening(number))
    }

    static func time(_ milliseconds: Int64) -> Timestamp { Timestamp(milliseconds: milliseconds) }
    static func bytes(_ number: UInt8) -> [UInt8] { Array(repeating: number, count: 16) }
    static func digest(_ number: UInt8) -> [UInt8] { Array(repeating: number, count: 32) }
    static func content(_ text: String) -> String { #"{"text":"\#(text)","type":"text"}"# }

    static func channel(_ name: String) -> ChannelID {
        guard let id = ChannelID(name) else { preconditionFailure("The suite's names are valid.") }
        return id
    }

    static func user(_ name: String) -> UserID {
        guard let id = UserID(name) else { preconditionFailure("The suite's names are valid.") }
        return id
    }
}

extension MessagePage {
    var ids: [MessageID] { messages.map(\.id) }
}
