import CausewayFileStorage
import CausewayMaintenance
import CausewayModels
import CausewaySQLiteStorage
import CausewayStorage
import CausewayStorageConformance
import CausewayTestSupport
import Foundation
import Testing

/// The damage that a check of a store in SQLite sees.
struct StoreCheckTests {
    private static let messages = 12
    private static let places = 160

    private let folders: TemporaryFolder

    init() throws { folders = try TemporaryFolder(.memory) }

    private func makeStore() async throws -> String {
        let folder = folders.fresh()
        try await fill(try await SQLiteStore.open(at: folder, durability: .normal), messages: Self.messages)
        return folder
    }

    private func fill(_ store: any Store, messages: Int, bytes: Int = 0) async throws {
        let failure = Failure(reason: .sessionEnded, code: "", detail: "", at: Timestamp(milliseconds: 0))
        _ = try await store.start(
            StartOptions(restart: .resume, failure: failure, newOutboxID: OutboxID(UUIDv7(high: 7, low: 7))))
        let channel = try #require(ChannelID("general"))
        let sender = try #require(UserID("ann"))
        for number in 0..<messages {
            let id = MessageID(UUIDv7(high: 0x7000, low: 1 << 63 | UInt64(number)))
            let draft = MessageDraft(
                id: id, channel: channel, sender: sender,
                content: .text("message \(number)" + String(repeating: "x", count: bytes)),
                createdAt: Timestamp(milliseconds: 1_790_000_000_000), lane: .text)
            _ = try await store.enqueue(draft)
        }
        await store.close()
    }

    private func isSound(_ folder: String) throws -> Bool {
        let tools = try StoreFolderTools(folder, [SQLiteFormat()])
        defer { tools.close() }
        do throws(StoreError) {
            return try StoreCheck(tools, progress: { _, _, _ in }).run().isSound
        } catch {
            return false
        }
    }

    /// Every page has a checksum, so every change is found, also one that turns a value into another valid one.
    @Test func everyChangedBitIsFound() async throws {
        let folder = try await makeStore()
        let path = folder + "/store.sqlite"
        #expect(try isSound(folder))
        let bytes = try #require(FileManager.default.contents(atPath: path))
        // Counters that SQLite sets for itself, and pages that were never written.
        var meaningless: Set<Int> = []
        for counter in [24, 40, 92, 96] { meaningless.formUnion(counter..<counter + 4) }
        for page in stride(from: 0, to: bytes.count, by: 4096) where bytes[page..<page + 4096].allSatisfy({ $0 == 0 }) {
            meaningless.formUnion(page..<page + 4096)
        }
        let letter = try #require(bytes.range(of: Data("message 7".utf8))).lowerBound
        var random = SplitMix64(seed: 3)
        for place in [letter] + (0..<Self.places).map({ _ in Int(random.next() % UInt64(bytes.count)) }) {
            var changed = bytes
            changed[place] ^= UInt8(1) << UInt8(random.next() % 8)
            try changed.write(to: URL(fileURLWithPath: path))
            #expect(try !isSound(folder) || meaningless.contains(place), "byte \(place)")
        }
    }

    /// A check tells how many bytes of a file store it has verified.
    @Test func aCheckReportsItsProgress() async throws {
        let folder = folders.fresh()
        try await fill(
            try await FileStore.open(at: folder, durability: .normal), messages: 120, bytes: 30_000)
        let tools = try StoreFolderTools(folder, [FileFormat()])
        defer { tools.close() }
        var verified: [Int64] = []
        let report = try StoreCheck(tools) { step, done, _ in
            if step == "files of the store", done > 0 { verified.append(done) }
        }.run()
        #expect(report.isSound)
        #expect(verified.count >= 3 && verified == verified.sorted())
        #expect(verified.allSatisfy { $0 <= report.bytes })
    }
}
