import CausewayLiveQuery
import CausewayModels
import CausewayStorage
import Testing

/// Objects are retained no longer than they are observed.
@MainActor struct LettingGoTests {
    @Test func aTokenThatWasInvalidatedHoldsNothing() throws {
        try LiveWorld.run { world in
            let (window, shown) = (Weak<ScriptedRemote>(), Weak<LiveCollection<Message>>())
            let token = try await observed(world, window, shown)
            await world.settle()
            #expect(window.value != nil && shown.value != nil)
            token.invalidate()
            await world.settle()
            #expect(window.value == nil && shown.value == nil)
            withExtendedLifetime(token) {}
        }
    }

    private nonisolated func observed(
        _ world: LiveWorld, _ window: Weak<ScriptedRemote>, _ shown: Weak<LiveCollection<Message>>
    ) async throws -> NotificationToken {
        let remote = ScriptedRemote(world.store)
        let token = onMain {
            let collection = world.collection(remote)
            (window.value, shown.value) = (remote, collection)
            return collection.observe { _, _ in }
        }
        await world.settle()
        remote.answer()
        return token
    }

    /// At once, not only with the next change.
    @Test(arguments: [true, false])
    func listenersThatWereRemovedAreHeldByNobody(isObject: Bool) throws {
        try LiveWorld.run { world in
            let held = Weak<MarkedMessage.Mark>()
            let shown = onMain { (world.collection(nil), world.engine.object(OneMessageQuery(Sample.id(1)))) }
            await world.settle()
            onMain {
                let mark = MarkedMessage.Mark()
                held.value = mark
                if isObject {
                    shown.1.on(.dataUpdated) { _ in withExtendedLifetime(mark) {} }
                } else {
                    shown.0.on(.dataUpdated) { _ in withExtendedLifetime(mark) {} }
                }
            }
            #expect(held.value != nil)
            onMain { if isObject { shown.1.removeAllListeners() } else { shown.0.removeAllListeners() } }
            #expect(held.value == nil)
            withExtendedLifetime(shown) {}
        }
    }

    @Test(arguments: [true, false])
    func aTokenThatHasEndedLetsGoWhenItIsInvalidated(isDisposed: Bool) throws {
        try LiveWorld.run { world in
            try await world.put(1, at: 1)
            let (shown, object) = (Weak<LiveCollection<Message>>(), Weak<LiveObject<Message>>())
            let tokens = onMain {
                let collection = world.collection(nil)
                let one = world.engine.object(OneMessageQuery(Sample.id(1)))
                (shown.value, object.value) = (collection, one)
                return [collection.observeOnce { _, _ in }, one.observeOnce { _, _ in }]
            }
            await world.settle()
            if isDisposed {
                onMain {
                    shown.value?.dispose()
                    object.value?.dispose()
                }
            }
            await world.settle()
            #expect(shown.value != nil && object.value != nil)
            for token in tokens { token.invalidate() }
            await world.settle()
            #expect(shown.value == nil && object.value == nil)
            withExtendedLifetime(tokens) {}
        }
    }

    /// The iterator of changes continues; the slot of the displayed state is released with the collection.
    @Test func aCollectionThatIsGoneKeepsNoOldState() throws {
        try LiveWorld.run { world in
            try await world.put(1, at: 1)
            let mark = Weak<MarkedMessage.Mark>()
            let changes = await onlyChanges(world, mark)
            let reader = changes.makeAsyncIterator()
            #expect(await reader.next()?.snapshot.count == 1)
            try await world.edit(1, at: 1, "edited")
            await world.settle()
            #expect(await reader.next()?.modifications == [0])
            await world.settle()
            #expect(mark.value == nil)
        }
    }

    private nonisolated func onlyChanges(
        _ world: LiveWorld, _ mark: Weak<MarkedMessage.Mark>
    ) async -> LiveChanges<MarkedMessage> {
        let collection = onMain { world.engine.collection(MarkedQuery(MessagesQuery(.channel(world.general)))) }
        await world.settle()
        onMain { mark.value = collection.object(at: 0)?.mark }
        #expect(mark.value != nil)
        return collection.changes
    }

    /// Of the lists that the client closed, and of those that were opened later.
    @Test func theDisplayForgetsListsOfAClosedClient() throws {
        try LiveWorld.run { world in
            await showAroundTheEnd(world)
            await world.settle()
            #expect(world.engine.presenterCount == 0)
        }
    }

    private nonisolated func showAroundTheEnd(_ world: LiveWorld) async {
        let early = onMain { world.collection(nil) }
        await world.settle()
        await world.engine.close()
        let late = onMain { world.collection(nil) }
        await world.settle()
        #expect(world.engine.presenterCount == 2)
        withExtendedLifetime((early, late)) {}
    }

    @Test func whatWasShownBeforeIsNotKept() throws {
        try LiveWorld.run { world in
            try await world.put(1, at: 1)
            let mark = Weak<MarkedMessage.Mark>()
            let collection = onMain { world.engine.collection(MarkedQuery(MessagesQuery(.channel(world.general)))) }
            await world.settle()
            onMain { mark.value = collection.object(at: 0)?.mark }
            #expect(mark.value != nil)
            try await world.edit(1, at: 1, "edited")
            await world.settle()
            onMain { #expect(collection.object(at: 0)?.message.text == "edited") }
            #expect(mark.value == nil)
        }
    }

    @Test(arguments: [LiveAnchor<MessageQuery.Cursor>.first, .last])
    func theLargestPageIsOneQuestion(_ anchor: LiveAnchor<MessageQuery.Cursor>) throws {
        try LiveWorld.run { world in
            let count = LiveLimits.pageSizeMax + 1
            try await world.store.commit(
                (1...count).map { .merge(try Sample.placed($0, at: Int64($0), in: world.general), at: Sample.time) })
            let query = MarkedQuery(MessagesQuery(.channel(world.general), anchor: anchor, pageSize: count - 1))
            let collection = onMain { world.engine.collection(query) }
            await world.settle()
            onMain {
                let numbers = anchor == .first ? 1...(count - 1) : 2...count
                #expect(collection.allObjects().map(\.message.text) == numbers.map(String.init))
                #expect(
                    collection.snapshots.indices.allSatisfy { collection.snapshots[$0] == collection.object(at: $0) })
                #expect(collection.hasNext == (anchor == .first) && collection.hasPrevious == (anchor == .last))
            }
            #expect(query.pages.count == 1)
        }
    }
}

extension LiveWorld {
    /// Stores an edited message of another user.
    func edit(_ number: Int, at position: Int64, _ text: String) async throws {
        var placed = try Sample.placed(number, at: position, text, in: general)
        placed.body.editedAt = Sample.time
        try await store.commit([.merge(placed, at: Sample.time)])
    }
}
