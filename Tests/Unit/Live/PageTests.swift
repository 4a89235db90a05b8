import CausewayLiveQuery
import CausewayModels
import CausewayStorage
import Testing

/// Pages of a collection, here and on the server.
@MainActor struct PageTests {
    @Test func pagesGoOnFromTheFirst() throws {
        try LiveWorld.run { world in
            for number in 1...7 { try await world.put(number, at: Int64(number)) }
            let collection = onMain { world.engine.collection(MessagesQuery(.channel(world.general), pageSize: 3)) }
            await world.settle()
            for expected in [3, 6, 7] {
                onMain {
                    #expect(collection.allObjects().map(\.text) == (1...expected).map(String.init))
                    #expect(collection.hasNext == (expected < 7))
                    #expect(!collection.hasPrevious)
                    #expect(collection.object(at: 2)?.text == "3")
                    #expect(collection.object(at: expected) == nil && collection.object(at: -1) == nil)
                    collection.previousPage()
                    collection.nextPage()
                }
                await world.settle()
            }
            onMain { collection.resetPage() }
            await world.settle()
            onMain {
                #expect(collection.count == 3)
                #expect(collection.hasNext)
            }
        }
    }

    @Test func pagesGoBackFromTheLast() throws {
        try LiveWorld.run { world in
            for number in 1...7 { try await world.put(number, at: Int64(number)) }
            let collection = onMain {
                world.engine.collection(MessagesQuery(.channel(world.general), anchor: .last, pageSize: 3))
            }
            await world.settle()
            for expected in [5, 2, 1] {
                onMain {
                    #expect(collection.allObjects().map(\.text) == (expected...7).map(String.init))
                    #expect(collection.hasPrevious == (expected > 1))
                    #expect(!collection.hasNext)
                    collection.previousPage()
                }
                await world.settle()
            }
            // New records arrive at the end, and push none out.
            _ = try await world.store.enqueue(try Sample.draft(8, in: world.general))
            await world.settle()
            onMain { #expect(collection.allObjects().map(\.text) == (1...8).map(String.init)) }
        }
    }

    @Test func pagesGoBothWaysFromAMessage() throws {
        try LiveWorld.run { world in
            for number in 1...9 { try await world.put(number, at: Int64(number)) }
            let message = try #require(try await world.store.message(Sample.id(5)))
            let collection = onMain {
                world.engine.collection(
                    MessagesQuery(.channel(world.general), anchor: .at(message.cursor), pageSize: 2))
            }
            await world.settle()
            onMain {
                #expect(collection.allObjects().map(\.text) == ["5", "6"])
                #expect(collection.hasNext && collection.hasPrevious)
                collection.nextPage()
                collection.previousPage()
            }
            await world.settle()
            onMain { #expect(collection.allObjects().map(\.text) == ["3", "4", "5", "6", "7", "8"]) }
        }
    }

    @Test func aWindowThatLosesRecordsIsFilledAgain() throws {
        try LiveWorld.run { world in
            for number in 1...9 { try await world.put(number, at: Int64(number)) }
            let collection = onMain { world.engine.collection(MessagesQuery(.channel(world.general), pageSize: 3)) }
            await world.settle()
            try await world.store.commit((1...4).map { .delete(Sample.id($0)) })
            await world.settle()
            onMain {
                #expect(collection.allObjects().map(\.text) == ["5", "6", "7"])
                #expect(collection.hasNext)
            }
            try await world.store.commit((8...9).map { .delete(Sample.id($0)) })
            await world.settle()
            onMain { #expect(!collection.hasNext) }
        }
    }

    @Test func theServerIsAskedForPagesThatItHas() throws {
        try LiveWorld.run { world in
            let remote = ScriptedRemote(world.store)
            let collection = onMain {
                world.engine.collection(
                    MessagesQuery(.channel(world.general), anchor: .last, pageSize: 2), remote: remote)
            }
            await world.settle()
            #expect(remote.asked == [.first])
            remote.answer(try [4, 5].map { try Sample.placed($0, at: Int64($0), in: world.general) }, start: 4)
            await world.settle()
            onMain {
                #expect(collection.hasPrevious && !collection.hasNext)
                collection.previousPage()
                collection.previousPage()
            }
            await world.settle()
            onMain { #expect(collection.loadingStatus == .loading && collection.dataStatus == .fresh) }
            #expect(remote.asked == [.first, .previous(ScriptedRemote.start(4), count: 2)])
            remote.answer(try [2, 3].map { try Sample.placed($0, at: Int64($0), in: world.general) })
            await world.settle()
            onMain {
                #expect(collection.allObjects().map(\.text) == ["2", "3", "4", "5"])
                #expect(!collection.hasPrevious)
                #expect(collection.loadingStatus == .loaded)
            }
        }
    }

    /// A page is added once, also if everything that is shown is read again in the same pass.
    @Test func aPageThatIsTurnedWhenEverythingIsReadAgainIsOnePage() throws {
        try LiveWorld.run { world in
            for number in 1...60 { try await world.put(number, at: Int64(number)) }
            let store = TurbulentStore(world.store)
            let engine = LiveQueryEngine(
                store: store, runtime: world.runtime, delivery: world.delivery, bounds: .init(inboxCommitsMax: 1))
            let collection = onMain { engine.collection(MessagesQuery(.channel(world.general), pageSize: 10)) }
            await world.settle()
            for number in 61...63 { try await world.put(number, at: Int64(number)) }
            onMain { collection.nextPage() }
            store.publish()
            await world.settle()
            onMain {
                #expect(collection.allObjects().map(\.text) == (1...20).map(String.init))
                #expect(collection.hasNext)
            }
        }
    }

    /// A list at the last record that the server has returned so far: stored records follow, then a page of them, and
    /// the next one goes without a report.
    @Test func aListAtItsLastRecordEndsWhereTheServersRecordsEnd() throws {
        try LiveWorld.run { world in
            for number in 1...5 { try await world.put(number, at: Int64(number)) }
            let store = TurbulentStore(world.store)
            let engine = LiveQueryEngine(
                store: store, runtime: world.runtime, delivery: world.delivery, bounds: .init(inboxCommitsMax: 1))
            let remote = ScriptedRemote(world.store)
            let collection = onMain {
                engine.collection(
                    MessagesQuery(.channel(world.general), anchor: .last, pageSize: 2), remote: remote)
            }
            await world.settle()
            remote.answer(end: 5)
            await world.settle()
            for number in 6...8 {
                try await world.put(number, at: Int64(number))
                store.publish()
                await world.settle()
            }
            onMain {
                #expect(collection.allObjects().map(\.text) == ["4", "5"])
                collection.resetPage()
            }
            await world.settle()
            onMain { #expect(collection.allObjects().map(\.text) == ["4", "5"] && collection.hasNext) }
            remote.answer(end: 5)
            await world.settle()
            onMain { collection.nextPage() }
            await world.settle()
            remote.answer()
            await world.settle()
            onMain { #expect(collection.allObjects().map(\.text) == ["4", "5", "6", "7"] && collection.hasNext) }
            let elsewhere = try #require(ChannelID("elsewhere"))
            try await world.store.commit([.delete(Sample.id(8))])
            try await world.store.commit([.merge(try Sample.placed(9, at: 1, in: elsewhere), at: Sample.time)])
            store.publish()
            await world.settle()
            onMain { #expect(collection.allObjects().map(\.text) == ["4", "5", "6", "7"] && !collection.hasNext) }
            remote.answer()
            await world.settle()
        }
    }

    @Test func changesOfOtherChannelsTouchNothing() throws {
        try LiveWorld.run { world in
            let elsewhere = try #require(ChannelID("elsewhere"))
            let collection = onMain { world.collection(nil) }
            await world.settle()
            let turns = world.delivery.turnCount
            for number in 1...20 {
                try await world.store.commit([
                    .merge(try Sample.placed(number, at: Int64(number), in: elsewhere), at: Sample.time)
                ])
            }
            await world.settle()
            #expect(world.delivery.turnCount == turns)
            withExtendedLifetime(collection) {}
        }
    }

    @Test func aWindowThatIsLeftOpenStaysSmall() throws {
        try LiveWorld.run { world in
            let engine = LiveQueryEngine(
                store: world.store, runtime: world.runtime, delivery: world.delivery,
                bounds: .init(surplusMax: 10))
            let collection = onMain {
                engine.collection(MessagesQuery(.channel(world.general), anchor: .last, pageSize: 5))
            }
            for number in 1...100 {
                try await world.put(number, at: Int64(number))
                if number % 3 == 0 { await world.settle() }
            }
            await world.settle()
            onMain {
                #expect(collection.count <= 15)
                #expect(collection.snapshots.last?.text == "100")
                #expect(collection.hasPrevious && !collection.hasNext)
            }
        }
    }
}
