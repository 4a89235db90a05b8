import ArgumentParser
import CausewayFileStorage
import CausewayModels
import CausewaySQLiteStorage
import CausewayStorage

/// A kind of store that is measured.
enum StoreArm: String, CaseIterable, ExpressibleByArgument {
    case file, sqlite

    func open(in folder: String, _ durability: Durability) async throws(StoreError) -> any Store {
        switch self {
        case .file: try await FileStore.open(at: folder, durability: durability)
        case .sqlite: try await SQLiteStore.open(at: folder, durability: durability)
        }
    }

    /// Runs `body` with a started store, and closes it.
    func with<Value>(
        in folder: String, _ durability: Durability, _ body: (any Store) async throws -> Value
    ) async throws -> Value {
        let store = try await open(in: folder, durability)
        do {
            _ = try await store.start(Self.options)
            let value = try await body(store)
            await store.close()
            return value
        } catch {
            await store.close()
            throw error
        }
    }

    static let options = StartOptions(
        restart: .resume, failure: Failure(reason: .sessionEnded, code: "", detail: "", at: Timestamp(milliseconds: 0)),
        newOutboxID: OutboxID(UUIDv7(high: 1, low: 1)))
}

/// The messages of the benchmarks of stores.
struct StoreSample {
    static let text = "The tide is out: shall we walk over to the island after lunch, and who brings the bread?"
    private static let time = Timestamp(milliseconds: 1_790_000_000_000)

    let channels: [ChannelID]
    let sender: UserID

    init(channels count: Int) throws {
        channels = try (0..<count).map { number in
            guard let channel = ChannelID("channel-\(number)") else { throw BenchError("no channel \(number)") }
            return channel
        }
        guard let sender = UserID("bench") else { throw BenchError("bench is no name of a user") }
        self.sender = sender
    }

    func draft(_ number: Int) -> MessageDraft {
        MessageDraft(
            id: id(number), channel: channels[number % channels.count], sender: sender, content: .text(Self.text),
            createdAt: Self.time, lane: .text)
    }

    func merge(_ number: Int) -> Mutation {
        let message = RemoteMessage(
            id: id(number), channel: channels[number % channels.count], sender: sender,
            body: MessageBody(content: .text(Self.text)), createdAt: Self.time,
            serverPosition: ServerPosition(position: Int64(number + 1), acceptedAt: Self.time))
        return .merge(message, at: Self.time)
    }

    private func id(_ number: Int) -> MessageID {
        MessageID(UUIDv7(high: UInt64(number) << 16 | 0x7000, low: 1 << 63 | UInt64(number)))
    }
}
