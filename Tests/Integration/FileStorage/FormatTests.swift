import CausewayFileStorage
import CausewayModels
import CausewayStorage
import CausewayStoreTorture
import CausewayTestSupport
import Foundation
import Testing

/// The format on disk, as `Documentation/FileFormat.md` describes it.
struct FormatTests {
    @Test func theChecksumIsCRC32C() {
        #expect(CRC32C.checksum(of: Array("123456789".utf8)) == 0xE306_9283)
        // RFC 3720, appendix B.4.
        #expect(CRC32C.checksum(of: [UInt8](repeating: 0, count: 32)) == 0x8A91_36AA)
        #expect(CRC32C.checksum(of: (0..<32).map { UInt8($0) }) == 0x46DD_794E)
    }

    /// The processor's instruction and the tables agree, for every length and alignment.
    @Test func allMethodsGiveTheSameChecksum() {
        var random = SplitMix64(seed: 1)
        let bytes = (0..<600).map { _ in UInt8(truncatingIfNeeded: random.next()) }
        let methods = CRC32C.Method.allCases.filter(\.isAvailable)
        #expect(methods.contains(.tables))
        for start in 0..<9 {
            for end in start..<bytes.count {
                let found = Set(methods.map { CRC32C.checksum(of: bytes, in: start..<end, by: $0) })
                #expect(found == [CRC32C.checksum(of: Array(bytes[start..<end]))])
            }
        }
        for method in methods {
            let digits = Array("123456789".utf8)
            #expect(CRC32C.checksum(of: digits, in: 0..<9, by: method) == 0xE306_9283)
        }
    }

    /// The bytes of `JournalVersion1`, which is never edited: a new version of the format gets a fixture of its own.
    @Test func theJournalOfVersion1IsWrittenAndRead() async throws {
        let disk = FaultyDisk()
        let written = try await FileStore.open(on: disk, durability: .full, options: FileOptions(newStore: 7))
        _ = try await written.start(History.options)
        var history = History()
        await history.run(written, count: 6)
        await written.close()
        #expect(disk["journal-0000000000000001"]?.hex == JournalVersion1.hex)

        let kept = FaultyDisk()
        kept["journal-0000000000000001"] = JournalVersion1.hex.hexBytes
        let store = try await FileStore.open(on: kept, durability: .full)
        #expect(store.recovery.bytesCut == 0)
        #expect(try await store.start(History.options).entries.map(\.message) == [1, 3].map(History.id))
        #expect(try await history.losses(in: store) == [])
        let page = try await store.page(MessageQuery(scope: .channel(History.channel)))
        #expect(page.messages.map(\.syncState) == [.synced, .synced, .synced, .created, .created])
        await store.close()
    }

    private static var reader: Program {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        return Program(path: root.path + "/Tools/read-file-store")
    }

    enum Damage: CaseIterable, Sendable { case middle, lastFrame, lastFrameWithoutEnd, cut, cutWithoutEnd }

    /// Damage ends it with 1, and so does the loss of what `journal.end` names as durable. An unfinished last write
    /// does not.
    @Test(arguments: Damage.allCases) func aReaderOfItsOwnReportsDamage(_ damage: Damage) async throws {
        let folder = try TemporaryFolder(.memory).fresh()
        let store = try await FileStore.open(at: folder, durability: .full)
        _ = try await store.start(History.options)
        for number in 0..<4 { _ = try await store.enqueue(History.draft(number)) }
        await store.close()
        let journal = URL(fileURLWithPath: folder + "/journal-0000000000000001")
        var bytes = try Data(contentsOf: journal)
        switch damage {
        case .middle: bytes[bytes.count / 2] ^= 1
        case .lastFrame, .lastFrameWithoutEnd: bytes[bytes.count - 5] ^= 1
        case .cut, .cutWithoutEnd: bytes.removeLast(5)
        }
        try bytes.write(to: journal)
        let isWithoutEnd = damage == .lastFrameWithoutEnd || damage == .cutWithoutEnd
        if isWithoutEnd { try FileManager.default.removeItem(atPath: folder + "/journal.end") }
        let reader = try await Self.reader.run([folder])
        #expect(reader.status == (isWithoutEnd ? 0 : 1), "\(reader.errors)")
        #expect(reader.errors.contains(isWithoutEnd || damage == .cut ? "torn at byte" : "damaged at byte"))
        #expect(reader.errors.contains("are gone, which were durable") == (damage == .cut))
    }

    /// The journal of a closed store, and of one whose process was killed.
    @Test(arguments: [false, true]) func aReaderOfItsOwnReadsTheJournal(isKilled: Bool) async throws {
        let folder = try TemporaryFolder().fresh()
        let store = try await FileStore.open(at: folder, durability: .full)
        _ = try await store.start(History.options)
        var history = History()
        await history.live(store)
        _ = try await store.enqueue(History.draft(100))
        let page = try await store.page(MessageQuery(scope: .channel(History.channel), limit: 100))
        let killed = folder + ".killed"
        try FileManager.default.copyItem(atPath: folder, toPath: killed)
        await store.close()
        let reader = try await Self.reader.run([isKilled ? killed : folder])
        #expect(reader.status == 0, "\(reader.errors)")
        #expect(reader.errors == "")
        let lines = reader.output.split(separator: "\n")
        struct Line: Decodable {
            struct Content: Decodable { var text: String }
            var id: String
            var ordinal: Int64
            var state: SyncState
            var content: Content
        }
        let items = try lines.map { try JSONDecoder().decode(Line.self, from: Data($0.utf8)) }
        let messages = page.messages.sorted { $0.ordinal < $1.ordinal }
        #expect(items.map(\.id) == messages.map(\.id.description))
        #expect(items.map(\.state) == messages.map(\.syncState))
        #expect(items.map { MessageContent.text($0.content.text) } == messages.map(\.content))
    }
}

extension [UInt8] {
    fileprivate var hex: String {
        map { byte in String(byte >> 4, radix: 16) + String(byte & 15, radix: 16) }.joined()
    }
}

extension String {
    fileprivate var hexBytes: [UInt8] {
        let digits = compactMap(\.hexDigitValue)
        return stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
    }
}
