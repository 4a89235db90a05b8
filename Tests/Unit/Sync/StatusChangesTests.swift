import Causeway
import CausewayModels
import CausewayRuntime
import CausewaySimulatedRuntime
import Synchronization
import Testing

/// The client's status as a sequence.
struct StatusChangesTests {
    /// However often the status changes: at most ten times a second, and the last one in the end.
    @Test func atMostTenASecond() throws {
        try ClientWorld.run { world in
            let client = try await world.loggedIn()
            let times = Mutex<[MonotonicTime]>([])
            let last = Mutex<SyncStatus?>(nil)
            let task = world.runtime.spawn { [runtime = world.runtime] in
                for await status in client.liveStatus() {
                    times.withLock { $0.append(runtime.now) }
                    last.withLock { $0 = status }
                }
            }
            try await client.pause()
            for number in 1...200 {
                try await client.messages.createTextMessage("\(number)", in: world.general)
                await world.pass(.milliseconds(10))
            }
            await world.pass(.seconds(1))
            let all = times.withLock { $0 }
            #expect(zip(all, all.dropFirst()).allSatisfy { $1 - $0 >= .milliseconds(100) })
            #expect(all.count > 10, "it reported only \(all.count)")
            #expect(last.withLock { $0?.counts.created } == 200)
            task.cancel()
            await client.close()
        }
    }

    @Test func aStoreInTroubleIsAskedOnceASecond() throws {
        try ClientWorld.run { world in
            let store = FailingStore()
            let client = try await world.open(on: store)
            try await world.login(client)
            let last = Mutex<SyncStatus?>(nil)
            let task = world.runtime.spawn {
                for await status in client.liveStatus() { last.withLock { $0 = status } }
            }
            await world.pass(.seconds(1))
            store.failReads(times: 1000)
            try await client.pause()
            await world.pass(.seconds(10))
            #expect((5...15).contains(store.failures), "it was asked \(store.failures) times")
            #expect(last.withLock { $0?.isPaused } == false)
            store.recover()
            await world.pass(.seconds(2))
            #expect(last.withLock { $0?.isPaused } == true)
            task.cancel()
            await client.close()
        }
    }
}
