import CausewayLiveQuery
import CausewayModels
import CausewaySimulatedRuntime
import CausewayStorage
import Testing

/// Another account logs in, and its stored data cannot be read.
@MainActor struct FormerAccountTests {
    @Test func nothingOfTheFormerAccountIsShown() throws {
        try LiveWorld.run { world in
            try await world.store.commit([.saveSession(try session("ada"))])
            for number in 1...3 { try await world.put(number, at: Int64(number)) }
            let store = TurbulentStore(world.store)
            let engine = LiveQueryEngine(store: store, runtime: world.runtime, delivery: world.delivery)
            let collection = onMain { engine.collection(MessagesQuery(.channel(world.general))) }
            await world.settle()
            onMain { #expect(collection.allObjects().map(\.text) == ["1", "2", "3"]) }

            // The list learns which account's records it shows.
            try await world.store.commit([.endSession(failure), .saveSession(try session("ada"))])
            store.publish()
            await world.settle()
            store.failNextReads(1000)
            // A new session of the same account: the list keeps its records.
            try await world.store.commit([.endSession(failure), .saveSession(try session("ada"))])
            store.publish()
            await world.settle()
            onMain {
                #expect(collection.allObjects().map(\.text) == ["1", "2", "3"])
                #expect(collection.underlyingError != nil)
            }
            try await world.store.commit([.endSession(failure), .saveSession(try session("eve"))])
            store.publish()
            await world.settle()
            onMain {
                #expect(collection.count == 0)
                #expect(collection.dataStatus == .error && collection.underlyingError != nil)
                #expect(!collection.hasNext && !collection.hasPrevious)
            }

            // Some messages are the same for both.
            for number in [1, 3, 4] { try await world.put(number, at: Int64(number)) }
            store.publish()
            await world.settle()
            onMain { #expect(collection.count == 0) }
            store.failNextReads(0)
            await world.runtime.sleep(until: world.runtime.now + .seconds(2))
            onMain {
                #expect(collection.allObjects().map(\.text) == ["1", "3", "4"])
                #expect(collection.underlyingError == nil)
            }
        }
    }

    private nonisolated var failure: Failure {
        Failure(reason: .sessionEnded, code: "loggedOut", detail: "", at: Sample.time)
    }

    private nonisolated func session(_ name: String) throws -> Session {
        Session(
            id: SessionID(UUIDv7(high: 0x7000, low: 0x8000_0000_0000_0000)), server: "https://hub.test",
            user: try #require(UserID(name)), startedAt: Sample.time)
    }
}
