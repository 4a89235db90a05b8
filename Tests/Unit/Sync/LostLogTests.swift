import Causeway
import CausewaySQLiteStorage
import CausewayTestSupport
import Foundation
import Testing

struct LostLogTests {
    /// The state that a killed process leaves, without its write-ahead log.
    @Test func commitsThatTheLogLostAreANotice() async throws {
        let files = FileManager.default
        let folder = try TemporaryFolder()
        let (home, copy) = (folder.path + "/home", folder.path + "/copy")
        let first = try await open(home)
        try files.createDirectory(atPath: copy, withIntermediateDirectories: true)
        for name in ["store.sqlite", "log-end"] {
            try files.copyItem(atPath: "\(home)/\(name)", toPath: "\(copy)/\(name)")
        }
        #expect(try await first.status().notices.isEmpty)
        await first.close()

        var client = try await open(copy)
        let notices = try await client.status().notices
        #expect(notices.map(\.kind) == [.storeLostCommits])
        #expect(notices.first?.detail.contains("lost commits") == true)
        await client.close()
        client = try await open(copy)
        #expect(try await client.status().notices.isEmpty)
        await client.close()
    }

    private func open(_ folder: String) async throws -> CausewayClient {
        try await CausewayClient.open(
            store: try await SQLiteStore.open(at: folder, durability: .full), transports: TransportRegistry(),
            credentials: MemoryCredentialStore())
    }
}
