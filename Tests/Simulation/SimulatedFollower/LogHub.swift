import CausewayHubRules
import CausewayHubStorage
import CausewayModels
import CausewayRecords

/// The hub's log with the records that it points to, in memory. Cursors, pages, rights and the choice of what a reader
/// is sent are the hub's own (`LogCursor`, `LogPageBuilder`, `TopicRights`, `EventRules`).
struct LogHub: Sendable {
    struct Item: Sendable, Equatable {
        var topic: LogTopic
        var version: Int64
        var isDeleted = false
    }

    struct Entry: Sendable {
        var position: Int64
        var topic: LogTopic
        var key: RecordKey
        var isNew: Bool
    }

    /// The contents of a backup.
    struct Data: Sendable {
        var items: [RecordKey: Item] = [:]
        var log: [Entry] = []
        var last: Int64 = 0
        var version: Int64 = 0
        /// The last position of each opening that has ended.
        var openings: [[UInt8]: Int64] = [:]
        var opening: [UInt8]
        var history: [UInt8]
        var floor: Int64 = 0
    }

    /// A change as a reader gets it.
    struct Event: Sendable, Equatable {
        var key: RecordKey
        var item: Item
        var position: Int64
    }

    struct Part: Sendable {
        var events: [Event] = []
        var limited: [LogTopic] = []
        var cursor: LogCursor
        var isUpToDate = false
        var isReset = false
        /// The state that the account may read at this moment, for the oracle; empty unless it is up to date.
        var visible: [RecordKey: Int64]
        var channels: Set<ChannelID>
        /// The last version that was assigned.
        var version: Int64

        var isIdle: Bool { isUpToDate && events.isEmpty && limited.isEmpty }
    }

    /// The state of a channel at one moment.
    struct Page: Sendable {
        /// `nil` without the right to read it.
        var items: [RecordKey: Int64]?
        var version: Int64
    }

    static let item: RecordKind = "item"
    let rights: TopicRights
    let channels: [ChannelID]
    /// A topic with more entries after a cursor is crowded.
    let listedMax: Int
    let partMax: Int
    private(set) var data: Data
    private var backup: Data
    private var openings: UInt8 = 1
    private var made = 0
    var plantedFault: FollowerPlantedFault?

    init(_ rights: TopicRights, _ channels: [ChannelID], listedMax: Int, partMax: Int) {
        self.rights = rights
        self.channels = channels
        self.listedMax = listedMax
        self.partMax = partMax
        data = Data(opening: Self.id(1), history: Self.id(1))
        backup = data
        for channel in channels { setMembership(of: channel, true) }
        backup = data
    }

    private static func id(_ number: UInt8) -> [UInt8] { [number] + [UInt8](repeating: 0, count: 15) }

    // MARK: - Changes

    private mutating func change(_ key: RecordKey, in topic: LogTopic, isDeleted: Bool) {
        data.version += 1
        data.last += 1
        let isNew = data.items[key]?.isDeleted ?? true
        data.items[key] = Item(topic: topic, version: data.version, isDeleted: isDeleted)
        data.log.append(Entry(position: data.last, topic: topic, key: key, isNew: isNew && !isDeleted))
    }

    mutating func create(in channel: ChannelID) {
        made += 1
        change(RecordKey(kind: Self.item, id: "\(channel.value).\(made)"), in: .channel(channel), isDeleted: false)
    }

    static func channel(of key: RecordKey) -> ChannelID? { ChannelID(String(key.id.prefix { $0 != "." })) }

    /// The records of a channel that exist, in a fixed order.
    func records(of channel: ChannelID) -> [RecordKey] {
        data.items.filter { $0.value.topic == .channel(channel) && !$0.value.isDeleted }.keys.sorted { $0.id < $1.id }
    }

    mutating func edit(_ key: RecordKey) {
        guard let item = data.items[key] else { return }
        change(key, in: item.topic, isDeleted: false)
    }

    mutating func delete(_ key: RecordKey) {
        guard let item = data.items[key] else { return }
        change(key, in: item.topic, isDeleted: true)
    }

    static func membership(of channel: ChannelID, _ rights: TopicRights) -> RecordKey {
        RecordKey(ChannelMember.self, ChannelMemberID(channel: channel, user: rights.account))
    }

    mutating func setMembership(of channel: ChannelID, _ isMember: Bool) {
        let key = Self.membership(of: channel, rights)
        guard isMember != (data.items[key]?.isDeleted == false) else { return }
        change(key, in: rights.own, isDeleted: !isMember)
    }

    // MARK: - Restarts

    mutating func restart() {
        data.openings[data.opening] = data.last
        openings += 1
        data.opening = Self.id(openings)
    }

    mutating func backUp() { backup = data }

    /// Puts the backup back: another history, whose versions are above all that were assigned.
    mutating func restore() {
        let version = data.version
        data = backup
        data.openings[data.opening] = data.last
        openings += 1
        data.opening = Self.id(openings)
        data.history = Self.id(openings)
        data.version = version + 1000
        backup = data
    }

    mutating func trim(to floor: Int64) {
        data.floor = max(data.floor, min(floor, data.last))
        data.log.removeAll { $0.position <= data.floor }
    }

    // MARK: - Reading

    var end: LogCursor { LogCursor(history: data.history, opening: data.opening, position: data.last) }

    func isMember(of channel: ChannelID) -> Bool {
        data.items[Self.membership(of: channel, rights)]?.isDeleted == false
    }

    var readable: Set<ChannelID> { Set(channels.filter(isMember)) }

    /// Everything in channels that the account may read, with its versions.
    var visible: [RecordKey: Int64] {
        let readable = readable
        return data.items.filter { _, item in
            guard !item.isDeleted, case .channel(let channel) = item.topic else { return false }
            return readable.contains(channel)
        }.mapValues(\.version)
    }

    func page(of channel: ChannelID) -> Page {
        guard isMember(of: channel) else { return Page(items: nil, version: data.version) }
        let own = data.items.filter { $0.value.topic == .channel(channel) && !$0.value.isDeleted }
        return Page(items: own.mapValues(\.version), version: data.version)
    }

    private func canRead(_ topic: LogTopic, _ allowed: Set<ChannelID>?) -> Bool {
        if let allowed, case .channel(let channel) = topic { return allowed.contains(channel) }
        return switch rights.access(to: topic) {
        case .always: true
        case .never: false
        case .whileExists(let key): data.items[key]?.isDeleted == false
        }
    }

    /// - Parameter allowed: the channels that were readable at the opening, for ``FollowerPlantedFault``.
    func read(after cursor: LogCursor, allowed: Set<ChannelID>?) -> Part {
        var part = Part(cursor: end, visible: [:], channels: readable, version: data.version)
        let reached = cursor.opening == data.opening ? data.last : data.openings[cursor.opening]
        let floor = plantedFault == .ignoresRetention ? 0 : data.floor
        let history = plantedFault == .ignoresHistories ? cursor.history : data.history
        let last = plantedFault == .ignoresHistories ? data.last : reached
        guard cursor.isValid(in: history, last: last, floor: floor) else {
            part.isReset = true
            return part
        }
        // Positions are consecutive.
        let known = data.log.first.map { Int(max(0, cursor.position - $0.position + 1)) } ?? 0
        let entries = data.log.dropFirst(known).filter { canRead($0.topic, allowed) }
        let counts = Dictionary(entries.map { ($0.topic, 1) }, uniquingKeysWith: +)
        let crowded = counts.filter { $0.value > listedMax && $0.key != rights.own }.keys.sorted { $0.name < $1.name }
        var builder = LogPageBuilder<Entry.Key>(
            after: cursor.position, limit: PageLimit(count: partMax, contentBytes: .max))
        for entry in entries where !crowded.contains(entry.topic) {
            let key = Entry.Key(topic: entry.topic, key: entry.key)
            guard builder.add(key, at: entry.position, isNew: entry.isNew, { state(of: entry) }) else { break }
        }
        let (found, position) = builder.page(upTo: data.last)
        let changes = found.map { entry in
            var change = entry.change
            if plantedFault == .hidesNewMemberships { change.isNew = false }
            return change
        }
        let chosen = EventRules.part(of: changes, crowded: crowded, for: rights)
        part.limited = chosen.limited
        part.events = chosen.changes.compactMap { event(changes[$0], in: entries, upTo: position) }
        part.isUpToDate = !builder.isFull || plantedFault == .claimsToBeUpToDate
        let isDropping = plantedFault == .dropsOnFull
        part.cursor = LogCursor(
            history: data.history, opening: data.opening, position: isDropping ? data.last : position)
        if part.isUpToDate { part.visible = visible }
        if plantedFault == .cursorByClock, part.isUpToDate, data.last % 7 == 0 {
            part.cursor = LogCursor(history: data.history, opening: data.opening, position: max(0, data.last - 3))
        }
        return part
    }

    private func state(of entry: Entry) -> LogPage.Entry? {
        guard let item = data.items[entry.key] else { return nil }
        let row = RecordRow(key: entry.key, version: item.version, value: "", isDeleted: item.isDeleted)
        return LogPage.Entry(
            entry.topic, .record(entry.key), version: item.version, item.isDeleted ? .deleted(nil) : .record(row))
    }

    private func event(_ change: LogChange, in entries: [Entry], upTo reached: Int64) -> Event? {
        guard case .record(let key) = change.subject, let item = data.items[key],
            let position = entries.last(where: { $0.key == key && $0.position <= reached })?.position
        else { return nil }
        return Event(key: key, item: item, position: position)
    }
}

extension LogHub.Entry {
    struct Key: Hashable, Sendable {
        var topic: LogTopic
        var key: RecordKey
    }
}
