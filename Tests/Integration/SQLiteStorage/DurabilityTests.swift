import CausewayFileStorage
import CausewayModels
import CausewaySQLiteStorage
import CausewayStorage
import CausewayTestSupport
import Foundation
import Testing

/// `KILLS` sets how often a process is killed that writes.
struct DurabilityTests {
    private static let kills = ProcessInfo.processInfo.environment["KILLS"].flatMap(Int.init) ?? 3

    /// Kills at different moments; the acknowledged messages are there each time.
    @Test func whatWasAcknowledgedSurvivesEveryKill() async throws {
        let folder = try TemporaryFolder()
        for kill in 0..<Self.kills {
            let lines = [1, 40, 400, 150, 900, 2000][kill % 6] + kill
            let path = folder.fresh()
            let writer = try Program.storeWriter.start([path, "write"])
            try await Eventually.holds("\(lines) lines", lookingEvery: .milliseconds(1)) {
                writer.isOver || writer.output.count { $0 == "\n" } >= lines
            }
            writer.kill()
            let acknowledged = await writer.finished().lines
            let ids = acknowledged.compactMap(MessageID.init)
            #expect(ids.count == acknowledged.count && ids.count >= lines)

            let store = try await SQLiteStore.open(at: path, durability: .full)
            let snapshot = try await store.start(Sample.opening())
            #expect(try await store.messages(ids).map(\.id) == ids)
            let sequences = snapshot.entries.map(\.sequence)
            #expect(sequences == sequences.sorted() && Set(sequences).count == sequences.count)
            let next = try await store.enqueue(Sample.draft(1, high: 0x7FFF))
            #expect(next.laneSequence > sequences.last ?? 0)
            await store.close()
        }
        print("sqlite store: \(Self.kills) kills")
    }

    /// The same check detects a message that was never written, so it can fail.
    @Test func whatWasNotWrittenIsMissed() async throws {
        let folder = try TemporaryFolder()
        let store = try await SQLiteStore.open(at: folder.fresh(), durability: .full)
        _ = try await store.start(Sample.opening())
        let kept = try await store.enqueue(Sample.draft(1))
        #expect(try await store.messages([kept.id, Sample.id(2)]).map(\.id) != [kept.id, Sample.id(2)])
        await store.close()
    }

    @Test func aFullDatabaseRefusesAndGoesOnWhenThereIsRoom() async throws {
        let folder = try TemporaryFolder()
        let store = try await SQLiteStore.open(
            at: folder.fresh(), durability: .full, options: SQLiteOptions(pagesMax: 60))
        _ = try await store.start(Sample.opening())
        var accepted: [MessageID] = []
        var refusal: StoreError?
        for number in 0..<1000 where refusal == nil {
            do {
                let text = String(repeating: "x", count: 1000)
                accepted.append(try await store.enqueue(Sample.draft(number, text: text)).id)
            } catch {
                refusal = error as? StoreError
            }
        }
        guard case .full? = refusal else {
            Issue.record("it answered \(String(describing: refusal))")
            return
        }
        #expect(accepted.count > 10)
        #expect(try await store.counts().created == accepted.count)
        #expect(try await store.messages(accepted).count == accepted.count)
        try await store.commit(accepted.prefix(10).map { .delete($0) })
        _ = try await store.enqueue(Sample.draft(5000))
        #expect(try await store.counts().created == accepted.count - 9)
        await store.close()
    }

    /// The flags of the writer's stores.
    private static let stores: [[String]] = [[], ["--file"]]

    private func open(_ flags: [String], _ path: String) async throws(StoreError) -> any Store {
        flags.isEmpty
            ? try await SQLiteStore.open(at: path, durability: .full)
            : try await FileStore.open(at: path, durability: .full)
    }

    @Test(arguments: stores) func aLimitOfFilesRefusesAndLosesNothing(_ flags: [String]) async throws {
        let folder = try TemporaryFolder()
        let path = folder.fresh()
        let lines = try await Program.storeWriter.run(flags + [path, "fill", "1000000"]).lines
        let ids = lines.compactMap(MessageID.init)
        #expect(ids.count > 20)
        // SQLite reports this limit as an I/O error; only a full disk has an error code of its own.
        let refusal = flags.isEmpty ? "refused: the store failed: SQLite 778" : "refused: "
        #expect(lines.contains { $0.hasPrefix(refusal) }, "\(lines.suffix(3))")
        #expect(lines.last == "went on")
        let store = try await open(flags, path)
        _ = try await store.start(Sample.opening())
        #expect(try await store.messages(ids).count == ids.count)
        #expect(try await store.counts().created == ids.count)
        await store.close()
    }

    /// A separate disk, mounted only for the process, with a file on it that occupies the space.
    @Test(arguments: stores) func aFullDiskRefusesAndGoesOnWhenThereIsRoom(_ flags: [String]) async throws {
        let folder = try TemporaryFolder()
        let script =
            "mount -t tmpfs -o size=2m none \(folder.path) && head -c 1000000 /dev/zero > \(folder.path)/ballast"
        let arguments = flags + [folder.path + "/store", "displace", folder.path + "/ballast"]
        let lines = try await Program(path: "/usr/bin/unshare").run(
            [
                "--map-root-user", "--mount", "sh", "-c", script + " && exec \"$0\" \"$@\"",
                Program.storeWriter.path,
            ] + arguments
        ).lines
        #expect(lines.compactMap(MessageID.init).count > 10)
        #expect(lines.contains { $0.hasPrefix("refused: the disk is full") }, "\(lines.suffix(3))")
        #expect(lines.last == "went on, with all that was acknowledged")
    }
}
