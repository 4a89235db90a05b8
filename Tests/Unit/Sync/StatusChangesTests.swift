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
}
