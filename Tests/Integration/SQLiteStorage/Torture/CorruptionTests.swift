import CausewayModels
import CausewaySQLiteStorage
import CausewayStorage
import CausewayStoreTorture
import CausewayTestSupport
import Foundation
import Testing

/// Damaged files of a small store: refused with the file and the reason; never half-read.
struct CorruptionTests {
    private static let count = 6
    /// The number of places that are damaged; `Tools/torture-disk` takes thousands.
    private static let samples = TortureSettings.number("SQLITE_DAMAGES", 40)

    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder(.memory) }

    /// The end of opening a damaged store.
    private enum Outcome: Hashable { case refused, lossReported, altered, unharmed }

    /// The files of a store; with a log, as a kill leaves them.
    private func sample(hasLog: Bool) async throws -> [String: [UInt8]] {
        let path = folder.fresh()
        let store = try await SQLiteStore.open(at: path, durability: .full)
        _ = try await store.start(History.options)
        for number in 0..<Self.count { _ = try await store.enqueue(History.draft(number)) }
        if !hasLog { await store.close() }
        let files = files(in: path)
        if hasLog { await store.close() }
        #expect((files["store.sqlite-wal"] != nil) == hasLog)
        return files
    }

    private func files(in path: String) -> [String: [UInt8]] {
        var files: [String: [UInt8]] = [:]
        for name in ["store.sqlite", "store.sqlite-wal", "log-end"] {
            files[name] = (try? Data(contentsOf: URL(fileURLWithPath: path + "/" + name))).map(Array.init)
        }
        return files
    }

    /// Opens a store with these files.
    private func open(_ files: [String: [UInt8]], _ context: String) async throws -> Outcome {
        let path = folder.fresh()
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(atPath: path) }
        for (name, bytes) in files { try Data(bytes).write(to: URL(fileURLWithPath: path + "/" + name)) }
        do throws(StoreError) {
            let store = try await SQLiteStore.open(at: path, durability: .normal)
            let found: (messages: [Message], isReported: Bool)
            do throws(StoreError) { found = try await read(store) } catch {
                await store.close()
                throw error
            }
            await store.close()
            if found.isReported { return .lossReported }
            return outcome(found.messages)
        } catch {
            switch error {
            case .damaged(let file, let detail):
                #expect(file.hasPrefix(path) && !detail.isEmpty, "\(context): \(error)")
                #expect("\(error)".contains("restore a backup"), "\(error)")
            case .newerSchema, .notAccessible: break
            default: Issue.record("\(context): \(error)")
            }
            return .refused
        }
    }

    private func read(_ store: SQLiteStore) async throws(StoreError) -> (messages: [Message], isReported: Bool) {
        let snapshot = try await store.start(History.options)
        let query = MessageQuery(scope: .channel(History.channel), limit: 100)
        return (try await store.page(query).messages, snapshot.loss != nil)
    }

    private func outcome(_ messages: [Message]) -> Outcome {
        let isWhole =
            messages.map(\.id) == (0..<Self.count).map(History.id)
            && messages.enumerated().allSatisfy { $1.content == History.draft($0).content }
        return isWhole ? .unharmed : .altered
    }

    /// Some bytes: those that tell what the file is, and others that are not free space. `Tools/torture-disk` takes all
    /// of them.
    private static func places(in bytes: [UInt8]) -> [Int] {
        var random = SplitMix64(seed: 1)
        let used = bytes.indices.filter { bytes[$0] != 0 }
        if TortureSettings.isComplete { return used }
        return [0, 16, 100] + (0..<samples).map { _ in used[Int(random.next() % UInt64(used.count))] }
    }

    @Test(arguments: ["store.sqlite", "store.sqlite-wal"])
    func aFlippedByteIsNeverHalfRead(_ name: String) async throws {
        let files = try await sample(hasLog: name.hasSuffix("-wal"))
        let bytes = try #require(files[name])
        var outcomes: [Outcome: Int] = [:]
        for offset in Self.places(in: bytes) {
            var damaged = files
            damaged[name]?[offset] ^= UInt8(1 << (offset % 8))
            outcomes[try await open(damaged, "\(name), byte \(offset)"), default: 0] += 1
        }
        print("sqlite store: \(name), flipped bytes:", outcomes.map { "\($0.key) \($0.value)" }.sorted())
        // Every page and every frame has a checksum, and the note of the log's end shows what is missing.
        #expect(outcomes[name.hasSuffix("-wal") ? .lossReported : .refused, default: 0] > 0)
        #expect(outcomes[.altered] == nil)
    }

    /// The conditions of the partial indexes, which are in the file as text: a query that relies on such an index
    /// becomes impossible.
    @Test func aFlippedByteInTheConditionOfAnIndexIsNeverHalfRead() async throws {
        let files = try await sample(hasLog: false)
        let bytes = try #require(files["store.sqlite"])
        let word = Array(" WHERE ".utf8)
        let starts = bytes.indices.filter { bytes[$0...].starts(with: word) }
        #expect(starts.count >= 5)
        for offset in starts.flatMap({ ($0 + word.count)..<min($0 + word.count + 20, bytes.count) }) {
            var damaged = files
            damaged["store.sqlite"]?[offset] ^= UInt8(1 << (offset % 8))
            #expect(try await open(damaged, "store.sqlite, byte \(offset)") == .refused)
        }
    }

    @Test(arguments: ["store.sqlite", "store.sqlite-wal"])
    func aTruncatedFileIsRefusedOrItsLossReported(_ name: String) async throws {
        let files = try await sample(hasLog: name.hasSuffix("-wal"))
        let bytes = try #require(files[name])
        for length in Self.places(in: bytes) {
            var damaged = files
            damaged[name] = Array(bytes[..<length])
            let outcome = try await open(damaged, "\(name), \(length) bytes")
            #expect(outcome == (name.hasSuffix("-wal") ? .lossReported : .refused), "\(name), \(length) bytes")
        }
    }

    /// A frame of the log has its place by the checksums of all before it.
    @Test func framesOfTheLogInAnotherOrderAreNotTaken() async throws {
        let files = try await sample(hasLog: true)
        let log = try #require(files["store.sqlite-wal"])
        let size = 24 + log[8..<12].reduce(0) { $0 << 8 | Int($1) }
        let frames = (log.count - 32) / size
        try #require(frames > 4)
        for first in 0..<frames - 1 {
            let (left, right) = (32 + first * size, 32 + (first + 1) * size)
            var mixed = files
            mixed["store.sqlite-wal"]?.replaceSubrange(left..<right, with: log[right..<right + size])
            mixed["store.sqlite-wal"]?.replaceSubrange(right..<right + size, with: log[left..<right])
            if mixed == files { continue }
            #expect(try await open(mixed, "frames \(first) and \(first + 1)") == .lossReported)
        }
    }

    /// Remains of a crash behind the last transaction of the log, and bytes behind the last page of the database.
    @Test(arguments: ["store.sqlite", "store.sqlite-wal"])
    func garbageAtTheEndHarmsNothing(_ name: String) async throws {
        let files = try await sample(hasLog: name.hasSuffix("-wal"))
        var random = SplitMix64(seed: 2)
        for count in [1, 24, 512, 5_000] {
            var longer = files
            longer[name]?.append(contentsOf: (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) })
            #expect(try await open(longer, "\(name), \(count) bytes more") == .unharmed)
        }
    }

    /// An earlier log of the same store beside its database.
    @Test func aLogOfAnotherTimeIsNotMixedIn() async throws {
        let path = folder.fresh()
        let options = SQLiteOptions(logBytesMax: 200_000)
        let store = try await SQLiteStore.open(at: path, durability: .full, options: options)
        _ = try await store.start(History.options)
        for number in 0..<3 { _ = try await store.enqueue(History.draft(number)) }
        let old = files(in: path)
        for number in 3..<30 { _ = try await store.enqueue(History.draft(number, bytes: 2_000)) }
        var new = files(in: path)
        if new["store.sqlite-wal"] == [] {
            // The log was cut after the last commit.
            _ = try await store.enqueue(History.draft(30))
            new = files(in: path)
        }
        await store.close()
        var mixed = new
        mixed["store.sqlite-wal"] = old["store.sqlite-wal"]
        // The log was begun anew meanwhile: it has another salt.
        let salts = [old, new].map { files in files["store.sqlite-wal"].map { Array($0.dropFirst(16).prefix(4)) } }
        #expect(salts[0]?.count == 4 && salts[1]?.count == 4 && salts[0] != salts[1])
        #expect([.lossReported, .refused].contains(try await open(mixed, "an old log")))
    }
}
