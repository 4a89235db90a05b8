import CausewayFileStorage
import CausewayModels
import CausewayStorage
import CausewayStoreTorture
import Testing

/// A snapshot with something behind it, and the parts of a journal that opening does not read because of a snapshot.
struct SnapshotDamageTests {
    private static let first = "journal-0000000000000001"
    private static let second = "journal-0000000000000002"
    private static let step = TortureSettings.isComplete ? 1 : 5
    private static let count = 6

    /// A closed store: four messages, a snapshot, and two more.
    ///
    /// - Parameter fileBytes: the size at which the journal goes on in another file.
    private func sample(fileBytes: Int64? = nil) async throws -> (disk: FaultyDisk, snapshotAt: Int) {
        let disk = FaultyDisk()
        let options = FileOptions(journalBytesMax: fileBytes, journalBytesAhead: 0, newStore: 7)
        let store = try await FileStore.open(on: disk, durability: .full, options: options)
        _ = try await store.start(History.options)
        for number in 0..<4 { _ = try await store.enqueue(History.draft(number)) }
        try await store.maintain(.snapshot)
        let end = try #require(disk[fileBytes == nil ? Self.first : Self.second]).count
        for number in 4..<Self.count { _ = try await store.enqueue(History.draft(number)) }
        await store.close()
        return (disk, end)
    }

    /// The messages of the store; `nil` if it is refused as damaged.
    private func open(_ disk: FaultyDisk, _ context: String) async throws -> [Message]? {
        do throws(StoreError) {
            let store = try await FileStore.open(on: disk, durability: .full)
            _ = try await store.start(History.options)
            let found = try await store.page(MessageQuery(scope: .channel(History.channel), limit: 100)).messages
            await store.close()
            return found
        } catch {
            switch error {
            case .damaged(_, let detail): #expect(detail.contains("at byte "), "\(context)")
            case .newerSchema: break
            default: Issue.record("\(context): \(error)")
            }
            return nil
        }
    }

    @Test func garbageBehindASnapshotIsRefused() async throws {
        let (disk, _) = try await sample()
        let bytes = try #require(disk["snapshot"])
        var random = SplitMix64(seed: 3)
        for count in [1, 47, 48, 300] {
            let garbage = (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) }
            for rest in [garbage, Array(repeating: 0, count: count), Array(bytes.prefix(count))] {
                disk["snapshot"] = bytes + rest
                #expect(try await open(disk.copy(), "\(count) bytes") == nil)
            }
        }
    }

    /// Before the snapshot a damaged record is set aside, and no other changes; behind it the store is refused, or ends
    /// before its last transaction.
    @Test func everyFlippedByteOfAJournalWithASnapshotIsNoticed() async throws {
        let (disk, snapshotAt) = try await sample()
        let bytes = try #require(disk[Self.first])
        let whole = (0..<Self.count).map(History.id)
        var setAside = 0
        for offset in stride(from: 0, to: bytes.count, by: Self.step) {
            let copy = disk.copy()
            var flipped = bytes
            flipped[offset] ^= 1 << (offset % 8)
            copy[Self.first] = flipped
            guard let found = try await open(copy, "byte \(offset)") else {
                #expect(offset >= snapshotAt && copy[Self.first] == flipped, "byte \(offset)")
                continue
            }
            #expect(found.map(\.id) == (offset < snapshotAt ? whole : whole.dropLast()), "byte \(offset)")
            let damaged = found.filter { $0.failure?.isUnreadable == true }
            #expect(damaged.count <= (offset < snapshotAt ? 1 : 0), "byte \(offset)")
            setAside += damaged.count
            for (number, message) in found.enumerated() where message.failure?.isUnreadable != true {
                #expect(message.content == History.draft(number).content, "byte \(offset)")
            }
        }
        #expect(setAside > snapshotAt / Self.step / 4)
    }

    /// A file before the one at which opening begins to read: cut, of an earlier time, or something else.
    @Test func aFormerFileMustReachTheNextOne() async throws {
        let (disk, _) = try await sample(fileBytes: 500)
        let bytes = try #require(disk[Self.first])
        try #require(disk[Self.second] != nil)
        #expect(try await open(disk.copy(), "as it was")?.count == Self.count)
        let zeros = [UInt8](repeating: 0, count: 60)
        // The last frame begins with the last mark of one.
        let last = try #require(bytes.indices.last { bytes[$0...].starts(with: Array("CWFS".utf8)) })
        let former = Array(bytes[..<last])
        let contents: [(String, [UInt8])] = [
            ("cut", Array(bytes.dropLast(1))), ("empty", []), ("without its last frame", former),
            ("of an earlier time", former + Array(repeating: 0, count: bytes.count - last)),
            ("zeros", Array(repeating: 0, count: bytes.count)), ("longer", bytes + zeros),
        ]
        for (what, content) in contents {
            let copy = disk.copy()
            copy[Self.first] = content
            let files = copy.files
            #expect(try await open(copy, what) == nil, "\(what)")
            #expect(copy.files == files, "\(what)")
        }
    }
}
