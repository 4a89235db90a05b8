import CausewayLiveQuery
import CausewayModels
import CausewayRuntime
import CausewaySimulatedRuntime
import CausewayStorage
import Synchronization
import Testing

/// Changes as an asynchronous sequence.
@MainActor struct ChangesTests {
    @Test func everyIteratorHasItsOwnPlace() throws {
        try LiveWorld.run { world in
            let collection = onMain { world.collection(nil) }
            let fast = Mutex<[Int]>([])
            let slow = Mutex<[Int]>([])
            let task = world.runtime.spawn {
                for await change in collection.changes { fast.withLock { $0.append(change.snapshot.count) } }
            }
            let other = world.runtime.spawn {
                for await change in collection.changes {
                    slow.withLock { $0.append(change.insertions.count) }
                    await world.runtime.sleep(until: world.runtime.now + .seconds(1))
                }
            }
            await world.settle()
            for number in 1...5 {
                try await world.put(number, at: Int64(number))
                await world.settle()
            }
            #expect(fast.withLock { $0 } == [0, 1, 2, 3, 4, 5])
            await world.runtime.sleep(until: world.runtime.now + .seconds(3))
            // A slow reader gets a single change.
            #expect(slow.withLock { $0 } == [0, 5])
            onMain { collection.dispose() }
            await task.finished()
            await other.finished()
        }
    }

    @Test func aCancelledTaskStopsWaiting() throws {
        try LiveWorld.run { world in
            let collection = onMain { world.collection(nil) }
            let task = world.runtime.spawn { for await _ in collection.changes {} }
            await world.settle()
            task.cancel()
            await task.finished()
            onMain { #expect(collection.dataStatus == .fresh) }
        }
    }

    @Test func anIteratorKeepsTheWindowOpen() throws {
        try LiveWorld.run { world in
            let counts = Mutex<[Int]>([])
            let changes = onMain { world.collection(nil).changes }
            let task = world.runtime.spawn {
                for await change in changes { counts.withLock { $0.append(change.snapshot.count) } }
            }
            await world.settle()
            try await world.put(1, at: 1)
            await world.settle()
            #expect(counts.withLock { $0 } == [0, 1])
            task.cancel()
            await task.finished()
        }
    }
}
