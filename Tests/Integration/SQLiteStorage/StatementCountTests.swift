import CausewayModels
import CausewaySQLiteStorage
import CausewayStorage
import CausewayTestSupport
import Testing

/// The statements that a message costs on its way, beside those of its commits.
struct StatementCountTests {
    private static let count = 64
    private static let ids = (0..<count).map { Sample.id($0) }

    /// The statements of commits, without their beginnings and ends, and without the reservation of numbers that many
    /// of them share.
    private func statements(_ seen: Statements, during body: () async throws -> Void) async throws -> [String] {
        let start = seen.inOrder.count
        try await body()
        let around = ["BEGIN", "COMMIT", "SAVEPOINT", "RELEASE", "UPDATE store SET next_sequence"]
        return seen.inOrder.dropFirst(start).filter { text in !around.contains { text.hasPrefix($0) } }
    }

    @Test func aMessageIsWrittenOnceForEachOfItsStepsAndNeverReadBackByTheWriter() async throws {
        let folder = try TemporaryFolder(.memory)
        let seen = Statements()
        let store = try await SQLiteStore.open(
            at: folder.fresh(), durability: .normal, options: SQLiteOptions(trace: seen.add))
        _ = try await store.start(Sample.opening())
        let time = Timestamp(milliseconds: 3)

        let created = try await statements(seen) {
            for number in 0..<Self.count { _ = try await store.enqueue(Sample.draft(number)) }
        }
        #expect(created.count == Self.count)
        #expect(created.allSatisfy { $0.hasPrefix("INSERT INTO message") })

        let attempted = try await statements(seen) {
            try await store.commit(Self.ids.map { .attempt($0, previous: 0, attempts: 1, at: time) })
        }
        #expect(attempted.count == Self.count)
        #expect(attempted.allSatisfy { $0.hasPrefix("UPDATE message SET sync_state") })

        let read = try await statements(seen) { _ = try await store.messages(Self.ids) }
        #expect(read.filter { $0.hasPrefix("SELECT ordinal") }.count == Self.count)

        let delivered = try await statements(seen) {
            try await store.commit(
                Self.ids.map { .deliver($0, ServerPosition(position: 1, acceptedAt: time), at: time) })
        }
        #expect(delivered.count == Self.count)
        #expect(delivered.allSatisfy { $0.hasPrefix("UPDATE message SET sync_state") })
        await store.close()
    }

    @Test func anOperationIsDisplayedByOneWriteOfItsTarget() async throws {
        let folder = try TemporaryFolder(.memory)
        let seen = Statements()
        let store = try await SQLiteStore.open(
            at: folder.fresh(), durability: .normal, options: SQLiteOptions(trace: seen.add))
        _ = try await store.start(Sample.opening())
        _ = try await store.enqueue(Sample.draft(1))
        var reaction = OperationDraft(try Sample.draft(2))
        reaction.payload = .addReaction(Sample.id(1), name: "wave")
        reaction.lane = .operations
        let created = try await statements(seen) { [reaction] in
            try await store.commit([.enqueue(reaction)])
        }
        #expect(
            created.map { String($0.prefix(20)) } == [
                "SELECT ordinal, id, ", "INSERT INTO operatio", "SELECT ordinal, id, ", "UPDATE message SET s",
                "UPDATE message SET e",
            ])
        await store.close()
    }
}
