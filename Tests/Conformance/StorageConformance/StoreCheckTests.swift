import CausewayFileStorage
import CausewayMaintenance
import CausewayModels
import CausewaySQLiteStorage
import CausewayStorage
import CausewayStorageConformance
import CausewayTestSupport
import Foundation
import Testing

/// The damage that a check of a store in SQLite sees, and the damage that it cannot see: SQLite keeps no checksums of
/// its pages.
struct StoreCheckTests {
    private static let messages = 12
    private static let places = 160

    private let folders: TemporaryFolder

    init() throws { folders = try TemporaryFolder(.memory) }

    private enum Finding: Hashable { case found, valueOfOneEntry, nothingChanged }

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

    private func entries(_ folder: String) throws(StoreError) -> [StoreEntry] {
        let reader = try SQLiteFormat().reader(of: folder)
        defer { reader.close() }
        var found: [StoreEntry] = []
        try reader.readAll { entry throws(StoreError) in found.append(entry) }
        return found
    }

    private func finding(_ folder: String, _ whole: [StoreEntry]) throws -> Finding {
        let tools = try StoreFolderTools(folder, [SQLiteFormat()])
        defer { tools.close() }
        do throws(StoreError) {
            guard try StoreCheck(tools, progress: { _, _, _ in }).run().isSound else { return .found }
            let read = try entries(folder)
            #expect(read.count == whole.count)
            let changed = zip(read, whole).filter { $0 != $1 }.count
            #expect(changed <= 1)
            return changed == 0 ? .nothingChanged : .valueOfOneEntry
        } catch {
            return .found
        }
    }

    /// A change that a check does not find is in a value of a single entry, or in bytes that mean nothing: the
    /// structure of the file, the indexes and the number of entries are right whenever nothing is reported.
    @Test func whatIsNotFoundChangesOneValueAtMost() async throws {
        let folder = try await makeStore()
        let path = folder + "/store.sqlite"
        let whole = try entries(folder)
        #expect(try finding(folder, whole) == .nothingChanged)
        let bytes = try #require(FileManager.default.contents(atPath: path))
        let used = bytes.indices.filter { bytes[$0] != 0 }
        var random = SplitMix64(seed: 3)
        var findings: [Finding: Int] = [:]
        for _ in 0..<Self.places {
            var changed = bytes
            changed[used[Int(random.next() % UInt64(used.count))]] ^= UInt8(1) << UInt8(random.next() % 8)
            try changed.write(to: URL(fileURLWithPath: path))
            findings[try finding(folder, whole), default: 0] += 1
        }
        #expect(findings[.found, default: 0] > 0 && findings[.valueOfOneEntry, default: 0] > 0, "\(findings)")
        print("store check, sqlite, flipped bits:", findings.map { "\($0.key) \($0.value)" }.sorted())
    }

    /// A changed text that still is one is not found; the help of `causeway store check` says so.
    @Test func aChangedLetterIsNotFound() async throws {
        let folder = try await makeStore()
        let path = folder + "/store.sqlite"
        var bytes = try #require(FileManager.default.contents(atPath: path))
        let place = try #require(bytes.range(of: Data("message 7".utf8))).lowerBound
        bytes[place] ^= 0x20
        try bytes.write(to: URL(fileURLWithPath: path))
        let whole = try entries(folder)
        #expect(try finding(folder, whole) == .nothingChanged)
        // A byte that makes the content unreadable is found.
        bytes[place] = 1
        try bytes.write(to: URL(fileURLWithPath: path))
        #expect(try finding(folder, whole) == .found)
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
