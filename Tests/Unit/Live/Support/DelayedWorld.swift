import CausewayLiveQuery
import CausewayModels
import CausewayRuntime
import CausewaySimulatedRuntime
import CausewayStorage
import Synchronization

/// A live query engine whose store, feed and server take random times, while another writer is busy elsewhere.
struct DelayedWorld: Sendable {
    let world: LiveWorld
    let store: TurbulentStore
    let engine: LiveQueryEngine
    let delays: Delays

    /// The random times so far, by their cause.
    final class Delays: Sendable {
        enum Cause: CaseIterable { case store, feed, server }

        private let state = Mutex<[Cause: Set<Duration>]>([:])

        func note(_ cause: Cause, _ delay: Duration) {
            _ = state.withLock { $0[cause, default: []].insert(delay) }
        }

        /// The causes with at least two different times.
        var varied: Set<Cause> {
            state.withLock { state in Set(Cause.allCases.filter { state[$0, default: []].count > 1 }) }
        }
    }

    /// Runs a test in a new world and fails it if it cannot end.
    @MainActor
    static func run(
        seed: UInt64, _ delays: Delays, _ body: @escaping @Sendable (DelayedWorld) async throws -> Void
    ) throws {
        try LiveWorld.run(seed: seed) { world in
            let delayed = DelayedWorld(world, delays)
            try await body(delayed)
            delayed.store.setTurbulence(nil)
        }
    }

    private init(_ world: LiveWorld, _ delays: Delays) {
        self.world = world
        self.delays = delays
        store = TurbulentStore(world.store)
        engine = LiveQueryEngine(store: store, runtime: world.runtime, delivery: world.delivery)
        store.setTurbulence(TurbulentStore.Turbulence { await Self.pause(world, delays, .store, upTo: 3) })
    }

    /// Waits a random number of milliseconds.
    func pause(_ cause: Delays.Cause, upTo max: UInt64) async { await Self.pause(world, delays, cause, upTo: max) }

    private static func pause(
        _ world: LiveWorld, _ delays: Delays, _ cause: Delays.Cause, upTo max: UInt64
    ) async {
        let delay = world.runtime.delay(upTo: max)
        delays.note(cause, delay)
        await world.runtime.sleep(until: world.runtime.now + delay)
    }

    /// Stores a message of another user, unnoticed by any window.
    func put(_ number: Int, _ text: String? = nil) async throws {
        try await world.put(number, at: Int64(number), text)
        store.publish()
    }

    /// Lets another writer be busy in another channel until everything has ended.
    func rest() async throws {
        guard let elsewhere = ChannelID("elsewhere") else { return }
        for number in 1...12 {
            await world.runtime.sleep(until: world.runtime.now + world.runtime.delay(upTo: 20))
            let message = try Sample.placed(1000 + number, at: Int64(number), in: elsewhere)
            try await world.store.commit([.merge(message, at: Sample.time)])
            await pause(.feed, upTo: 5)
            store.publish()
        }
        await world.runtime.sleep(until: world.runtime.now + .seconds(1))
    }
}

extension SimulatedRuntime {
    /// A random number of milliseconds.
    func delay(upTo max: UInt64) -> Duration { .milliseconds(Int64(random() % (max + 1))) }
}

/// The server side of a query, which responds after a random time with what it was given.
final class DelayedRemote<Key: Comparable & Hashable & Sendable>: RemoteSource {
    struct Page: Sendable {
        var messages: [RemoteMessage]
        var loadedRange = LoadedRange<Key>()
        var error: StoreError?
    }

    private let delayed: DelayedWorld
    private let pages: Mutex<[Page]>
    private let asked = Mutex(0)

    init(_ delayed: DelayedWorld, _ pages: [Page]) {
        self.delayed = delayed
        self.pages = Mutex(pages)
    }

    /// The number of requests so far.
    var askedCount: Int { asked.withLock { $0 } }

    func load(_ page: RemoteSourcePage<Key>, hold: FrameHold) async throws -> LoadedRange<Key> {
        asked.withLock { $0 += 1 }
        // A network takes longer than a turn of the main actor.
        await delayed.world.runtime.sleep(until: delayed.world.runtime.now + .milliseconds(1))
        await delayed.pause(.server, upTo: 30)
        guard let page = pages.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) else {
            throw StoreError.other(detail: "a request that was not expected")
        }
        if let error = page.error { throw error }
        hold.begin()
        await delayed.pause(.server, upTo: 5)
        try await delayed.store.commit(page.messages.map { .merge($0, at: Sample.time) })
        await delayed.pause(.feed, upTo: 5)
        delayed.store.publish()
        await delayed.pause(.server, upTo: 5)
        return page.loadedRange
    }
}
