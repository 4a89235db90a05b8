import Causeway
import CausewayControlAPI
import CausewayControlClient
import CausewayControlServer
import CausewayScriptedWorld
import CausewayTestSupport
import Synchronization
import Testing

/// The events that the status page follows, over a real socket.
@Suite struct ActivityTests {
    private let general: ChannelID

    init() throws { general = try #require(ChannelID("general")) }

    @Test func whoWatchesIsToldNowAndAfterEachChange() async throws {
        try await ControlWorld.run { world in
            var events = world.client.watch().makeAsyncIterator()
            let first = try #require(try await events.next())
            #expect(first.status.counts.undelivered == 0)
            #expect(first.status.session?.user == UserID("ann"))
            #expect(first.drainedPerMinute.reduce(0, +) == 0)

            world.remote.set(.refusing(code: "no", detail: "no"))
            _ = try await world.client.send([OutgoingMessage(channel: general, text: "a")])
            var event = first
            while event.status.counts.error != 1 { event = try #require(try await events.next()) }
            #expect(event.version > first.version)

            world.remote.set(.working)
            _ = try await world.client.send(
                ["b", "c"].map { OutgoingMessage(channel: general, text: $0) })
            while event.drainedPerMinute.reduce(0, +) != 2 { event = try #require(try await events.next()) }
            #expect(event.status.delivered == 2)
            let asked = try await world.client.activity()
            #expect(asked.drainedPerMinute.reduce(0, +) == 2)
            #expect(asked.version >= event.version)
        }
    }

    @Test func whatChangesWithoutACommitIsToldToo() async throws {
        try await ControlWorld.run { world in
            var events = world.client.watch().makeAsyncIterator()
            var event = try #require(try await events.next())
            #expect(!event.status.paused)
            try await world.client.setPaused(true)
            while !event.status.paused { event = try #require(try await events.next()) }
            #expect(event.status.paused)
        }
    }

    @Test func whoWatchesLearnsThatTheDaemonStopped() async throws {
        let followed = Mutex<Task<ControlError?, Never>?>(nil)
        try await ControlWorld.run { world in
            let (started, starts) = AsyncStream.makeStream(of: Void.self)
            let client = world.client
            let task: Task<ControlError?, Never> = Task {
                do {
                    for try await _ in client.watch() { starts.yield() }
                    return nil
                } catch {
                    return error as? ControlError
                }
            }
            followed.withLock { $0 = task }
            for await _ in started { break }
        }
        let error = await followed.withLock { $0 }?.value
        #expect(error?.code == .daemonUnreachable)
    }

    private typealias Watch = AsyncThrowingStream<ActivityResponse, any Error>

    /// As many watchers as are allowed.
    private func everyPlaceTaken(in world: ControlWorld) async throws -> [Watch.Iterator] {
        var watchers: [Watch.Iterator] = []
        for _ in 0..<ControlLimits.watchersMax {
            var watcher = world.local.watch().makeAsyncIterator()
            _ = try await watcher.next()
            watchers.append(watcher)
        }
        return watchers
    }

    private func expectBusy(_ watch: Watch) async {
        let error = await #expect(throws: ControlError.self) { for try await _ in watch { break } }
        #expect(error?.code == .busy)
    }

    @Test func noMoreThanAFewMayWatch() async throws {
        try await ControlWorld.run { world in
            var watchers = try await everyPlaceTaken(in: world)
            await expectBusy(world.local.watch())
            watchers.removeAll()
            try await Eventually.holds("a place is free again") {
                var next = world.local.watch().makeAsyncIterator()
                return (try? await next.next()) != nil
            }
        }
    }

    @Test func whoIsOneTooManyIsToldSoOverTheSocket() async throws {
        try await ControlWorld.run { world in
            let watchers = try await everyPlaceTaken(in: world)
            await expectBusy(world.client.watch())
            #expect(watchers.count == ControlLimits.watchersMax)
        }
    }

    /// A daemon that was stopped, or hangs, keeps its connections open.
    @Test(arguments: [true, false])
    func aDaemonWithoutASignOfLifeIsTakenForDead(isFirst: Bool) async throws {
        try await ControlWorld.run { world in
            let activity = try await world.client.activity()
            let path = world.folder.path + "/run/silent"
            try await ControlWorld.serving(DeafService(watched: .silent(after: isFirst ? nil : activity)), at: path) {
                let expected = isFirst ? [] : [activity.version]
                // On a very busy machine the first event may exceed a short limit as well; then a longer one is tried.
                // Every watch ends, because the daemon is considered dead.
                for silence in [Duration.milliseconds(500), .seconds(5), .seconds(50), .seconds(500)] {
                    let client = try ControlClient(socketPath: path, watchSilence: silence)
                    var heard: [Int64] = []
                    do {
                        for try await event in client.watch() { heard.append(event.version) }
                        Issue.record("it ended as if all were well")
                    } catch {
                        #expect((error as? ControlError)?.code == .daemonUnreachable)
                    }
                    await client.close()
                    if heard == expected { return }
                    #expect(heard.isEmpty)
                }
                Issue.record("what it said first was never heard")
            }
        }
    }

    @Test func aLaneSaysHowOldItsHeadIs() async throws {
        try await ControlWorld.run { world in
            try await world.client.setPaused(true)
            let ids = try await world.client.send(
                ["a", "b"].map { OutgoingMessage(channel: general, text: $0) }
            ).ids
            try await Eventually.holds("the lane is there") { try await world.client.status().lanes.first?.depth == 2 }
            let lane = try #require(try await world.client.status().lanes.first)
            let head = try await world.client.message(ids[0])
            #expect(lane.head == ids[0])
            #expect(lane.headCreatedAtMs == head.createdAtMs)
            #expect(head.lane == lane.lane)
            let second = try await world.client.message(ids[1])
            #expect(try #require(head.place) < (try #require(second.place)))
        }
    }
}
