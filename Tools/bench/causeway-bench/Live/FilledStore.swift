import CausewayLiveQuery
import CausewayModels
import CausewaySQLiteChecksums
import CausewaySQLiteStorage
import CausewayStorage
import Foundation
import GRDB

/// A store on disk with many messages of another user, spread evenly over channels.
///
/// In a channel message 0 is the oldest; message n has the position n + 1.
struct FilledStore: Sendable {
    let store: SQLiteStore
    let channels: [ChannelID]
    let messagesPerChannel: Int
    /// The time at which the last commit was reported.
    let clock: CommitClock
    private let sender: UserID

    var messages: Int { channels.count * messagesPerChannel }
    var database: String { Self.database(in: store.folder) }

    static func make(in folder: String, channels: Int, messagesPerChannel: Int) async throws -> FilledStore {
        let count = Figure.grouped(channels * messagesPerChannel)
        CausewayBench.progress("filling a store with \(count) messages in \(Figure.grouped(channels)) channels")
        let new = try await FilledStore(in: folder, channels, messagesPerChannel)
        try await new.store.commit([new.merge(0, in: 0, saying: "The first.")])
        await new.store.close()
        try new.fill()
        let filled = try await FilledStore(in: folder, channels, messagesPerChannel)
        try await filled.check()
        return filled
    }

    private init(in folder: String, _ channels: Int, _ messagesPerChannel: Int) async throws {
        guard let sender = UserID("bench") else { throw BenchError("bench is no name of a user") }
        self.sender = sender
        self.messagesPerChannel = messagesPerChannel
        self.channels = try (0..<channels).map { number in
            guard let channel = ChannelID("channel-\(number)") else { throw BenchError("no channel \(number)") }
            return channel
        }
        // The latency of the disk is not measured here: with less of it, the rest weighs more.
        store = try await SQLiteStore.open(at: folder, durability: .normal)
        clock = CommitClock()
        let failure = Failure(reason: .sessionEnded, code: "", detail: "", at: Timestamp(milliseconds: 0))
        _ = try await store.start(
            StartOptions(restart: .resume, failure: failure, newOutboxID: OutboxID(UUIDv7(high: 1, low: 1))))
        clock.watch(store)
    }

    func close() async { await store.close() }

    private static func database(in folder: String) -> String { folder + "/store.sqlite" }

    // MARK: Messages

    func id(_ message: Int, in channel: Int) -> MessageID {
        let number = UInt64(message * channels.count + channel)
        return MessageID(UUIDv7(high: number << 16, low: number))
    }

    /// The message as the server has it: new, or after its edit with that number. Of two edits the higher one counts.
    func merge(_ message: Int, in channel: Int, saying text: String, edit: Int? = nil) -> Mutation {
        let editedAt = edit.map { Timestamp(milliseconds: Int64($0)) }
        let body = MessageBody(content: .text(text), editedAt: editedAt)
        let time = Timestamp(milliseconds: 1_790_000_000_000)
        let placed = RemoteMessage(
            id: id(message, in: channel), channel: channels[channel], sender: sender, body: body, createdAt: time,
            serverPosition: ServerPosition(position: Int64(message + 1), acceptedAt: time))
        return .merge(placed, at: time)
    }

    /// The newest messages of a channel, newest first.
    func newest(in channel: Int, pageSize: Int) -> MessagesQuery {
        MessagesQuery(.channel(channels[channel]), direction: .descending, pageSize: pageSize)
    }

    /// The same messages as the initial list of an application: oldest first, the newest at its end.
    func tail(of channel: Int, pageSize: Int) -> MessagesQuery {
        MessagesQuery(.channel(channels[channel]), direction: .ascending, anchor: .last, pageSize: pageSize)
    }

    // MARK: Filling

    private static let transactionRows = 100_000

    /// Copies the first message, which the store wrote itself, as often as requested: the store would take minutes.
    private func fill() throws {
        let queue = try DatabaseQueue(path: PageChecksums.address(of: database))
        try queue.writeWithoutTransaction { db in
            try db.execute(sql: "PRAGMA synchronous = OFF")
            let columns = try db.columns(in: "message").map(\.name)
            let own = ["ordinal": "?1", "id": "?2", "channel": "?3", "content": "?4", "bytes": "?5", "position": "?6"]
            guard let first = try Int64.fetchOne(db, sql: "SELECT ordinal FROM message") else {
                throw BenchError("the first message is not in the table")
            }
            let insertion = try db.makeStatement(
                sql: """
                    INSERT INTO message (\(columns.joined(separator: ", "))) \
                    SELECT \(columns.map { own[$0] ?? $0 }.joined(separator: ", ")) \
                    FROM message WHERE ordinal = \(first)
                    """)
            try db.beginTransaction()
            for number in 1..<messages {
                try insertion.execute(arguments: try row(number, ordinal: first + Int64(number)))
                guard number.isMultiple(of: Self.transactionRows) else { continue }
                try db.commit()
                CausewayBench.progress("    \(Figure.grouped(number))")
                try db.beginTransaction()
            }
            try db.execute(sql: "UPDATE store SET next_sequence = ?", arguments: [first + Int64(messages) + 1000])
            try db.commit()
            try db.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE)")
        }
        try queue.close()
    }

    private func row(_ number: Int, ordinal: Int64) throws -> StatementArguments {
        let (message, channel) = number.quotientAndRemainder(dividingBy: channels.count)
        let content = String(
            decoding: try ContentCoding.encode(.text("Message \(message) came in with the tide.")), as: UTF8.self)
        return [
            ordinal, Data(id(message, in: channel).value.bytes), channels[channel].value, content, content.utf8.count,
            message + 1,
        ]
    }

    private func check() async throws {
        for channel in [0, channels.count - 1] {
            let page = try await store.page(
                MessageQuery(scope: .channel(channels[channel]), direction: .descending, limit: 20))
            let expected = (0..<20).map { id(messagesPerChannel - 1 - $0, in: channel) }
            guard page.messages.map(\.id) == expected else {
                throw BenchError("the store does not read what was filled in: its schema has changed")
            }
        }
    }
}
