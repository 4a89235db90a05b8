import CausewayLiveQuery
import CausewayModels
import CausewayRuntime
import CausewaySimulatedRuntime
import CausewayStorage
import Testing

/// Live objects and collections when the client is closed, and with a store that cannot be read.
@MainActor struct EndTests {
    @Test func withTheClientEverythingThatIsLiveEnds() throws {
        try LiveWorld.run { world in
            try await world.put(1, at: 1)
            let remote = ScriptedRemote(world.store)
            let collection = onMain { world.collection(remote) }
            let changes = collection.changes
            let follower = world.runtime.spawn {
                var last: LiveCollectionChange<Message>?
                for await change in changes { last = change }
                #expect(last?.dataStatus == .error && last?.loadingStatus == .error)
                #expect(last?.underlyingError as? StoreError == .closed)
                #expect(last?.snapshot.map(\.text) == ["1"])
            }
            await world.settle()
            remote.answer(start: 1)
            await world.settle()
            onMain { #expect(collection.dataStatus == .fresh && collection.hasNext == false) }
            await world.engine.close()
            await follower.finished()
            await world.settle()
            onMain {
                #expect(collection.dataStatus == .error && collection.loadingStatus == .error)
                #expect(collection.underlyingError as? StoreError == .closed)
                #expect(!collection.hasNext && !collection.hasPrevious)
                #expect(collection.allObjects().map(\.text) == ["1"])
                collection.resetPage()
            }
            // Later writes are not reported any more, and collections opened later end at once.
            try await world.put(2, at: 2)
            let late = onMain { world.collection(nil) }
            let iterator = late.changes.makeAsyncIterator()
            #expect(await iterator.next()?.dataStatus == .error)
            #expect(await iterator.next() == nil)
            await world.settle()
            onMain { #expect(collection.count == 1 && late.loadingStatus == .error) }
            await world.engine.close()
        }
    }

    @Test func aStoreThatFailsIsReadOnceInAWhile() throws {
        try LiveWorld.run { world in
            let store = TurbulentStore(world.store)
            let engine = LiveQueryEngine(store: store, runtime: world.runtime, delivery: world.delivery)
            store.failNextReads(3)
            let collection = onMain { engine.collection(MessagesQuery(.channel(world.general))) }
            let errors = onMain { SequenceTests.Log() }
            onMain { collection.on(.dataError) { _ in errors.lines.append("error") } }
            await world.settle()
            for number in 1...100 {
                try await world.put(number, at: Int64(number))
                store.publish()
                await world.settle()
            }
            #expect(store.readCount == 1)
            onMain { #expect(errors.lines == ["error"] && collection.loadingStatus == .error) }
            await world.runtime.sleep(until: world.runtime.now + .seconds(5))
            #expect(store.readCount == 4)
            onMain {
                #expect(errors.lines.count == 3)
                #expect(
                    collection.count == 20 && collection.loadingStatus == .notLoading
                        && collection.underlyingError == nil)
            }
        }
    }

    /// A store closes itself while its disk fails, and opens again.
    @Test func aStoreThatIsBackIsReadAgain() throws {
        try LiveWorld.run { world in
            try await world.put(1, at: 1)
            let store = TurbulentStore(world.store)
            let engine = LiveQueryEngine(store: store, runtime: world.runtime, delivery: world.delivery)
            store.failNextReads(5, with: .closed)
            let collection = onMain { engine.collection(MessagesQuery(.channel(world.general))) }
            await world.settle()
            onMain {
                #expect(collection.loadingStatus == .error && collection.underlyingError as? StoreError == .closed)
            }
            await world.runtime.sleep(until: world.runtime.now + .seconds(10))
            onMain {
                #expect(
                    collection.count == 1 && collection.loadingStatus == .notLoading
                        && collection.underlyingError == nil)
            }
        }
    }

    /// Also if only the progress of the feed cannot be determined.
    @Test func aWindowThatGrowsWhileTheStoreIsAwayRecovers() throws {
        try LiveWorld.run { world in
            for number in 1...50 { try await world.put(number, at: Int64(number)) }
            let store = TurbulentStore(world.store)
            let engine = LiveQueryEngine(store: store, runtime: world.runtime, delivery: world.delivery)
            let collection = onMain { engine.collection(MessagesQuery(.channel(world.general))) }
            await world.settle()
            store.failNextReads(2, with: .closed)
            onMain { collection.nextPage() }
            await world.settle()
            onMain { #expect(collection.loadingStatus == .error && collection.count == 20) }
            await world.runtime.sleep(until: world.runtime.now + .seconds(10))
            onMain { #expect(collection.count == 40 && collection.underlyingError == nil) }
        }
    }

    /// If more than this number of bytes is waiting, everything is read again instead.
    @Test(arguments: [true, false])
    func whatWaitsIsBoundedByBytes(isNarrow: Bool) throws {
        try LiveWorld.run { world in
            let store = TurbulentStore(world.store)
            let engine = LiveQueryEngine(
                store: store, runtime: world.runtime, delivery: world.delivery,
                bounds: isNarrow ? .init(inboxBytesMax: 1000) : .init())
            let collection = onMain { engine.collection(MessagesQuery(.channel(world.general))) }
            await world.settle()
            #expect(store.readCount == 1)
            for number in 1...20 { try await world.put(number, at: Int64(number), String(repeating: "x", count: 200)) }
            store.publish()
            await world.settle()
            #expect(store.readCount == (isNarrow ? 2 : 1))
            onMain { #expect(collection.count == 20) }
        }
    }

    /// It is unknown whether the feed has caught up with the data that was read.
    @Test func whatMayBeAheadOfTheFeedIsNotShown() throws {
        try LiveWorld.run { world in
            try await world.put(1, at: 1)
            let store = TurbulentStore(world.store)
            let engine = LiveQueryEngine(store: store, runtime: world.runtime, delivery: world.delivery)
            store.failNextSettlings(1)
            let collection = onMain { engine.collection(MessagesQuery(.channel(world.general))) }
            await world.settle()
            onMain { #expect(collection.count == 0 && collection.loadingStatus == .error) }
            await world.runtime.sleep(until: world.runtime.now + .seconds(2))
            onMain { #expect(collection.count == 1 && collection.loadingStatus == .notLoading) }
        }
    }

    /// Commits that arrive while many windows are read must be applied, or they accumulate beyond the limit.
    @Test func whileManyWindowsAreReadTheFeedIsFollowed() throws {
        try LiveWorld.run { world in
            let store = TurbulentStore(world.store)
            let engine = LiveQueryEngine(
                store: store, runtime: world.runtime, delivery: world.delivery,
                bounds: .init(inboxCommitsMax: 20))
            let written = WriteCount()
            store.setTurbulence(
                TurbulentStore.Turbulence { () async throws(StoreError) in
                    guard let number = written.next(below: 400) else { return }
                    let placed = try? Sample.placed(number, at: Int64(number), in: world.general)
                    if let placed { try await world.store.commit([.merge(placed, at: Sample.time)]) }
                    store.publish()
                })
            let collections = onMain {
                (1...100).map { engine.collection(MessagesQuery(.channel(world.general), pageSize: $0)) }
            }
            await world.runtime.sleep(until: world.runtime.now + .seconds(5))
            // Two writes with each read: a reset would read every window again.
            #expect(store.readCount < 200)
            onMain {
                for (index, collection) in collections.enumerated() { #expect(collection.count >= index + 1) }
            }
        }
    }

    /// Some are displayed before all were read.
    @Test func manyWindowsAreNotShownAllAtOnce() throws {
        try LiveWorld.run { world in
            try await world.put(1, at: 1)
            let store = TurbulentStore(world.store)
            store.setTurbulence(
                TurbulentStore.Turbulence { () async throws(StoreError) in await world.settle() })
            let engine = LiveQueryEngine(store: store, runtime: world.runtime, delivery: world.delivery)
            let collections = onMain {
                (0..<200).map { _ in engine.collection(MessagesQuery(.channel(world.general))) }
            }
            let shown = WriteCount()
            let token = onMain {
                collections[0].observe { _, _ in
                    for _ in 0..<store.readCount { _ = shown.next(below: 1000) }
                }
            }
            await world.runtime.sleep(until: world.runtime.now + .seconds(5))
            #expect(shown.count > 0 && shown.count < 200)
            onMain { #expect(collections.allSatisfy { $0.count == 1 }) }
            withExtendedLifetime(token) {}
        }
    }
}
