import CausewayFileStorage
import CausewayModels
import CausewayStorage
import CausewayStoreTorture
import CausewayTestSupport
import Foundation
import Testing

/// A process that writes, with snapshots and compaction under way, is killed; `KILLS` sets how often.
struct KillTests {
    private static let kills = ProcessInfo.processInfo.environment["KILLS"].flatMap(Int.init) ?? 6

    @Test func whatWasAcknowledgedSurvivesEveryKill() async throws {
        let folder = try TemporaryFolder()
        for kill in 0..<Self.kills {
            let lines = [1, 40, 400, 150, 900, 2000][kill % 6] + kill
            let path = folder.fresh()
            let writer = try Program.storeWriter.start(["--file", path, "write"])
            try await Eventually.holds("\(lines) lines", lookingEvery: .milliseconds(1)) {
                writer.isOver
                    || (writer.output.count { $0 == "\n" } >= lines
                        && (lines < 200 || FileManager.default.fileExists(atPath: path + "/snapshot")))
            }
            writer.kill()
            let acknowledged = await writer.finished().lines
            let ids = acknowledged.compactMap(MessageID.init)
            #expect(ids.count == acknowledged.count && ids.count >= lines)

            let store = try await FileStore.open(at: path, durability: .full)
            let snapshot = try await store.start(History.options)
            #expect(try await store.messages(ids).map(\.id) == ids)
            let sequences = snapshot.entries.map(\.sequence)
            #expect(sequences == sequences.sorted() && Set(sequences).count == sequences.count)
            #expect(lines < 200 || store.recovery.hasSnapshot)
            let next = try await store.enqueue(History.draft(1))
            #expect(next.laneSequence > sequences.last ?? 0)
            await store.close()
        }
        print("file store: \(Self.kills) kills")
    }
}
