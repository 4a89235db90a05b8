import CausewayModels
import CausewaySQLiteChecksums
import CausewaySQLiteStorage
import CausewayStorage
import CausewayTestSupport
import Foundation
import GRDB
import Testing

/// The checksums of a store's pages, and what programs without them do to a store.
struct ChecksumTests {
    private let folder: TemporaryFolder
    private let path: String
    private var file: String { path + "/store.sqlite" }
    private var url: URL { URL(fileURLWithPath: file) }

    init() throws {
        folder = try TemporaryFolder(.memory)
        path = folder.fresh()
    }

    private static let count = 40

    private func makeStore() async throws {
        let store = try await open()
        try await fill(store)
        await store.close()
    }

    private func fill(_ store: SQLiteStore) async throws {
        _ = try await store.start(Sample.opening())
        for number in 0..<Self.count { _ = try await store.enqueue(Sample.draft(number)) }
    }

    private func open(_ options: SQLiteOptions = SQLiteOptions()) async throws(StoreError) -> SQLiteStore {
        try await SQLiteStore.open(at: path, durability: .full, options: options)
    }

    private func messages(in path: String) async throws -> Int {
        let store = try await SQLiteStore.open(at: path, durability: .full)
        let count = try await store.start(Sample.opening()).entries.count
        await store.close()
        return count
    }

    /// How many pages of a file have a checksum, and how many have none. That of an empty page is zero.
    private func pages(of file: String) throws -> (with: Int, without: Int) {
        let bytes = try Data(contentsOf: URL(fileURLWithPath: file))
        let ends = stride(from: 4096, through: bytes.count, by: 4096)
        let without = ends.filter { end in
            bytes[end - 8..<end].allSatisfy { $0 == 0 } && bytes[end - 4096..<end].contains { $0 != 0 }
        }.count
        return (ends.underestimatedCount - without, without)
    }

    private func damages(in file: String) throws -> [PageDamage] { try PageScan(of: file, pageBytes: 4096).damages }

    /// The checksum of a page was computed by another program. Only the first page leaves out SQLite's counters.
    @Test func aPageHasTheChecksumThatItsDescriptionSays() throws {
        let file = folder.fresh()
        let page = (0..<512).map { UInt8(($0 * 7 + 3) % 251) }
        let sums: [[UInt32]] = [[4_269_691_626, 4_133_206_639], [1_858_097_646, 1_123_893_620]]
        var bytes: [UInt8] = []
        for sum in sums {
            bytes += page.dropLast(8)
            for word in sum { bytes += stride(from: 0, to: 32, by: 8).map { UInt8(word >> UInt32($0) & 0xFF) } }
        }
        try Data(bytes).write(to: URL(fileURLWithPath: file))
        #expect(try PageScan(of: file, pageBytes: 512).damages.isEmpty)
        for offset in bytes.indices {
            var changed = bytes
            changed[offset] ^= UInt8(1 << (offset % 8))
            try Data(changed).write(to: URL(fileURLWithPath: file))
            let isCounter = [24, 40, 92, 96].contains { ($0..<$0 + 4).contains(offset) }
            let found = try PageScan(of: file, pageBytes: 512).damages
            #expect(found == (isCounter ? [] : [PageDamage(offset: Int64(offset / 512 * 512), bytesCount: 512)]))
        }
    }

    @Test func everyPageOfANewStoreHasOne() async throws {
        try await makeStore()
        #expect(try pages(of: file).without == 0 && pages(of: file).with > 10)
        #expect(try damages(in: file).isEmpty)
        #expect(try await messages(in: path) == Self.count)
    }

    /// A changed letter of a text is still a text; only the checksum tells.
    @Test func aChangedLetterIsRefusedWithItsPlace() async throws {
        try await makeStore()
        var bytes = try Data(contentsOf: url)
        let place = try #require(bytes.range(of: Data("hello".utf8))).lowerBound
        bytes[place] ^= 0x20
        try bytes.write(to: url)
        let page = PageDamage(offset: Int64(place / 4096 * 4096), bytesCount: 4096)
        #expect(page.description.contains("page \(place / 4096 + 1), at byte \(place / 4096 * 4096),"))
        await #expect(throws: StoreError.damaged(path: file, detail: page.description)) { try await open() }
        #expect(try Data(contentsOf: url) == bytes)
    }

    /// A large store is not read as a whole when it is opened.
    @Test func aPageThatIsDamagedWhileTheStoreIsOpenFailsItsReaders() async throws {
        let store = try await open(SQLiteOptions(logBytesMax: 50_000))
        _ = try await store.start(Sample.opening())
        let text = String(repeating: "x", count: 3000)
        for number in 0..<600 { _ = try await store.enqueue(Sample.draft(number, text: text)) }
        var bytes = try Data(contentsOf: url)
        for end in stride(from: 8192, through: bytes.count, by: 4096) { bytes[end - 100] ^= 1 }
        try bytes.write(to: url)
        let query = MessageQuery(scope: .channel(try #require(ChannelID("general"))), limit: 500)
        do throws(StoreError) {
            _ = try await store.page(query)
            Issue.record("it was read")
        } catch {
            guard case .damaged(file, let detail) = error else { throw error }
            #expect(detail.contains("at byte"))
        }
        await store.close()
    }

    /// SQLite reads the pages otherwise then, and may find something wrong anywhere; the checksum names the page.
    @Test func aWrongNumberOfReservedBytesIsRefused() async throws {
        try await makeStore()
        let page = PageDamage(offset: 0, bytesCount: 4096)
        for bit in 0..<8 {
            var bytes = try Data(contentsOf: url)
            bytes[20] ^= 1 << bit
            try bytes.write(to: url)
            await #expect(throws: StoreError.damaged(path: file, detail: page.description)) { try await open() }
            bytes[20] ^= 1 << bit
            try bytes.write(to: url)
        }
        #expect(try await messages(in: path) == Self.count)
    }

    /// Between the failure of a query and the question for its page, another store may be found damaged.
    @Test func theLastDamagesAreRemembered() {
        var log = DamageLog()
        for number in 0..<200 {
            log.note(PageDamage(offset: Int64(number) * 4096, bytesCount: 4096), in: "\(number)")
            for recent in max(0, number - DamageLog.filesMax + 1)...number {
                #expect(log.last(in: "\(recent)")?.offset == Int64(recent) * 4096)
            }
            #expect(log.last(in: "\(number - DamageLog.filesMax)") == nil)
        }
        log.forget("199")
        #expect(log.last(in: "199") == nil)
    }

    /// A check reads every page, free ones included, and names all that are damaged.
    @Test func aCheckNamesEveryDamagedPage() async throws {
        try await makeStore()
        var bytes = try Data(contentsOf: url)
        let places = [3, 7, 11].map { $0 * 4096 }
        for place in places { bytes[place + 4000] ^= 1 }
        try bytes.write(to: url)
        let reader = try SQLiteFormat().reader(of: path)
        var problems: [StoreProblem] = []
        try reader.verify(progress: { _ in }, { problems.append($0) })
        reader.close()
        #expect(problems.filter { $0.rule == "checksum" }.map(\.place) == places.map { "\(file) at byte \($0)" })
    }

    // MARK: Other programs

    /// SQLite's shell is the first to open a store after a crash: it copies the log into the database, and knows
    /// nothing of checksums.
    @Test(arguments: [false, true])
    func aReaderWithoutChecksumsAfterACrashHarmsNothing(isCompacted: Bool) async throws {
        let store = try await open()
        try await fill(store)
        let copy = folder.fresh()
        try FileManager.default.copyItem(atPath: path, toPath: copy)
        await store.close()
        let shell = try DatabaseQueue(path: copy + "/store.sqlite")
        #expect(try await shell.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM message") } == Self.count)
        try shell.close()
        #expect(!FileManager.default.fileExists(atPath: copy + "/store.sqlite-wal"))
        #expect(try pages(of: copy + "/store.sqlite").without > 5)
        // They get them when the store is opened, or by a compaction if it is large.
        let large = try await SQLiteStore.open(
            at: copy, durability: .full, options: SQLiteOptions(checksumsAddedBytesMax: 100))
        #expect(try pages(of: copy + "/store.sqlite").without > 5)
        if isCompacted { try await large.compact { _ in } }
        await large.close()
        #expect(try (pages(of: copy + "/store.sqlite").without == 0) == isCompacted)
        #expect(try await messages(in: copy) == Self.count)
        #expect(try pages(of: copy + "/store.sqlite").without == 0)
        #expect(try damages(in: copy + "/store.sqlite").isEmpty)
    }

    /// `.backup` and `VACUUM INTO` of SQLite's shell, while the store is in use and afterwards.
    @Test(arguments: [true, false]) func aCopyByAProgramWithoutChecksumsIsAStore(isInUse: Bool) async throws {
        let store = try await open()
        try await fill(store)
        // Some pages are in the database, and some in the log.
        let shell = try DatabaseQueue(path: file)
        try await shell.writeWithoutTransaction { _ = try Row.fetchAll($0, sql: "PRAGMA wal_checkpoint(PASSIVE)") }
        for number in Self.count..<Self.count + 5 { _ = try await store.enqueue(Sample.draft(number)) }
        if !isInUse { await store.close() }
        let copies = [folder.fresh(), folder.fresh()]
        for copy in copies {
            try FileManager.default.createDirectory(
                atPath: copy, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        }
        let target = try DatabaseQueue(path: copies[0] + "/store.sqlite")
        try shell.backup(to: target)
        try target.close()
        try await shell.writeWithoutTransaction {
            try $0.execute(sql: "VACUUM INTO ?", arguments: [copies[1] + "/store.sqlite"])
        }
        try shell.close()
        if isInUse { await store.close() }
        for copy in copies {
            #expect(try await messages(in: copy) == Self.count + 5)
            #expect(try damages(in: copy + "/store.sqlite").isEmpty)
        }
    }

    /// Nothing tells a change that another program made to a closed store from damage.
    @Test func aChangeByAProgramWithoutChecksumsIsRefused() async throws {
        try await makeStore()
        let shell = try DatabaseQueue(path: file)
        try await shell.write { try $0.execute(sql: "UPDATE message SET sender = 'bob' WHERE ordinal = 3") }
        try shell.close()
        do throws(StoreError) {
            await (try open()).close()
            Issue.record("it was opened")
        } catch {
            #expect("\(error)".contains("the disk or another program has changed it"))
        }
    }

    /// Whether a store has checksums is found out without a connection that cuts the log when it is closed: the note of
    /// the log's end would report its commits as lost after the next crash.
    @Test func openingAStoreAfterACrashLeavesItsLog() async throws {
        let store = try await open()
        try await fill(store)
        let copies = [folder.fresh(), folder.fresh()]
        try FileManager.default.copyItem(atPath: path, toPath: copies[0])
        await store.close()
        let opened = try await SQLiteStore.open(at: copies[0], durability: .normal)
        try FileManager.default.copyItem(atPath: copies[0], toPath: copies[1])
        await opened.close()
        let next = try await SQLiteStore.open(at: copies[1], durability: .normal)
        let snapshot = try await next.start(Sample.opening())
        #expect(snapshot.loss == nil && snapshot.entries.count == Self.count)
        await next.close()
    }

    // MARK: Copies, and stores of earlier versions

    @Test func aBackupHasChecksums() async throws {
        let store = try await open()
        try await fill(store)
        let copy = folder.fresh()
        try FileManager.default.createDirectory(
            atPath: copy, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        try await store.copy(to: copy) { _ in }
        await store.close()
        #expect(try pages(of: copy + "/store.sqlite").without == 0)
        #expect(try damages(in: copy + "/store.sqlite").isEmpty)
        #expect(try await messages(in: copy) == Self.count)
    }

    private func makeEarlierStore() async throws {
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let earlier = try DatabaseQueue(path: file)
        try await earlier.writeWithoutTransaction { db in
            try db.execute(sql: "PRAGMA journal_mode = WAL")
            try db.execute(sql: Layout9.sql)
        }
        try earlier.close()
    }

    private var hasChecksums: Bool { get throws { try Data(contentsOf: url)[20] == 8 } }

    @Test func aStoreOfAnEarlierVersionGetsThemWhenItIsOpened() async throws {
        try await makeEarlierStore()
        #expect(try !hasChecksums)
        let entries = try await messages(in: path)
        #expect(entries > 0)
        #expect(try hasChecksums)
        #expect(try pages(of: file).without == 0)
        #expect(try damages(in: file).isEmpty)
        #expect(try await messages(in: path) == entries)
    }

    /// A large one gets them when it is compacted: until then it is read and written without.
    @Test func aLargeStoreOfAnEarlierVersionGetsThemWhenItIsCompacted() async throws {
        try await makeEarlierStore()
        let store = try await open(SQLiteOptions(checksumsAddedBytesMax: 100))
        _ = try await store.start(Sample.opening())
        for number in 100..<110 { _ = try await store.enqueue(Sample.draft(number)) }
        let copy = folder.fresh()
        try FileManager.default.createDirectory(
            atPath: copy, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        try await store.copy(to: copy) { _ in }
        #expect(try Data(contentsOf: URL(fileURLWithPath: copy + "/store.sqlite"))[20] == 0)
        #expect(try !hasChecksums)
        try await store.compact { _ in }
        #expect(try hasChecksums && pages(of: file).without == 0)
        // The connections that were open before use them, too.
        for number in 110..<120 { _ = try await store.enqueue(Sample.draft(number)) }
        let query = MessageQuery(scope: .channel(try #require(ChannelID("general"))), limit: 100)
        #expect(try await store.page(query).messages.count >= 20)
        await store.close()
        #expect(try pages(of: file).without == 0 && damages(in: file).isEmpty)
        #expect(try await messages(in: path) > 20)
        #expect(try await messages(in: copy) > 10)
    }
}
