import CausewayFileStorage
import CausewayModels
import CausewayStorage
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

    @Test func aReaderOfItsOwnReadsTheJournal() async throws {
        let folder = try TemporaryFolder().fresh()
        let store = try await FileStore.open(at: folder, durability: .full)
        _ = try await store.start(History.options)
        var history = History()
        await history.run(store)
        let page = try await store.page(MessageQuery(scope: .channel(History.channel), limit: 100))
        await store.close()
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let reader = try await Program(path: root.path + "/Tools/read-file-store").run([folder])
        #expect(reader.status == 0, "\(reader.errors)")
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
