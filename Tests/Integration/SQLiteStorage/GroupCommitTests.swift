import CausewayModels
import CausewaySQLiteChecksums
import CausewaySQLiteStorage
import CausewayStorage
import CausewayTestSupport
import GRDB
import Testing

struct GroupCommitTests {
    /// Calls that wait together share transactions; a failing call does not affect the others.
    @Test func eachCallOfAGroupStandsAlone() async throws {
        let folder = try TemporaryFolder()
        let seen = Statements()
        let store = try await SQLiteStore.open(
            at: folder.fresh(), durability: .full,
            options: SQLiteOptions(bounds: OutboxBounds(messagesMax: 300), trace: seen.add))
        _ = try await store.start(Sample.opening())
        _ = try await store.enqueue(Sample.draft(0))
        let before = seen.inOrder.count
        store.gather(400)
        let outcomes = try await withThrowingTaskGroup(of: (Int, StoreError?).self) { group in
            for task in 0..<400 {
                group.addTask {
                    do {
                        // Every fourth has an id that already exists.
                        _ = try await store.enqueue(Sample.draft(task % 4 == 0 ? 0 : task))
                        return (task, nil)
                    } catch let error as StoreError {
                        return (task, error)
                    }
                }
            }
            return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
        for task in 0..<400 where task % 4 == 0 {
            #expect(outcomes[task] == .some(.duplicate(Sample.id(0))))
        }
        let refused = outcomes.values.filter { if case .outboxFull = $0 { true } else { false } }
        #expect(refused.count == 1)
        #expect(try await store.counts().created == 300)
        #expect(seen.inOrder.dropFirst(before).filter { $0.hasPrefix("COMMIT") }.count == 1)
        await store.close()
    }

    /// A reply takes two statements. If the second one fails, nothing of the first remains, although another call of
    /// the group succeeds.
    @Test func aReplyThatFailsHalfWayLeavesNothing() async throws {
        let folder = try TemporaryFolder()
        let path = folder.fresh()
        let store = try await SQLiteStore.open(at: path, durability: .full)
        _ = try await store.start(Sample.opening())
        try await execute(
            """
            CREATE TRIGGER poison BEFORE UPDATE OF related ON message
            BEGIN SELECT RAISE(ABORT, 'poison'); END
            """, in: path)
        var reply = try Sample.draft(2)
        reply.parent = Sample.id(1)
        store.gather(2)
        async let parent = store.enqueue(Sample.draft(1))
        do {
            _ = try await store.enqueue(reply)
            Issue.record("it was stored")
        } catch {}
        #expect(try await store.message(parent.id)?.id == Sample.id(1))
        #expect(try await store.message(reply.id) == nil)
        #expect(try await store.counts().created == 1)
        try await execute("DROP TRIGGER poison", in: path)
        #expect(try await store.enqueue(reply).parent == Sample.id(1))
        await store.close()
    }

    private func execute(_ sql: String, in path: String) async throws {
        let queue = try DatabaseQueue(path: PageChecksums.address(of: path + "/store.sqlite"))
        try await queue.write { db in try db.execute(sql: sql) }
        try queue.close()
    }

    /// Calls that wait together, with contents that no transaction should hold all at once.
    @Test func aGroupIsBoundedByBytes() async throws {
        let folder = try TemporaryFolder()
        let seen = Statements()
        let path = folder.fresh()
        let store = try await SQLiteStore.open(
            at: path, durability: .normal, options: SQLiteOptions(trace: seen.add))
        _ = try await store.start(Sample.opening())
        let (calls, bytes) = (200, 100_000)
        let text = String(repeating: "x", count: bytes)
        let before = seen.inOrder.count
        store.gather(calls)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<calls { group.addTask { _ = try await store.enqueue(Sample.draft(task, text: text)) } }
            try await group.waitForAll()
        }
        let statements = seen.inOrder.dropFirst(before)
        var sizes: [Int] = []
        for statement in statements {
            if statement.hasPrefix("BEGIN IMMEDIATE") { sizes.append(0) }
            if statement.hasPrefix("INSERT INTO message ("), !sizes.isEmpty { sizes[sizes.count - 1] += 1 }
        }
        #expect(sizes.reduce(0, +) == calls)
        let bound = 4 << 20
        #expect((sizes.max() ?? 0) * bytes <= bound, "\(sizes)")
        // Each transaction is full: the bound ended each of them but the last.
        #expect(sizes.dropLast().allSatisfy { ($0 + 2) * bytes > bound }, "\(sizes)")
        await store.close()
    }
}
