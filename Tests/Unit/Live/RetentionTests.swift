import CausewayLiveQuery
import CausewayModels
import CausewaySimulatedRuntime
import CausewayStorage
import Testing

/// Lists and objects of which the store drops messages that the server keeps.
@MainActor struct RetentionTests {
    private nonisolated static let session: Session? = Sample.me.map { user in
        Session(
            id: SessionID(Sample.id(9_999).value), server: "https://chat.example", user: user, startedAt: Sample.time)
    }

    /// Drops the messages of these numbers.
    private nonisolated static func prune(_ numbers: ClosedRange<Int>, _ world: LiveWorld) async throws {
        let account = try #require(session).account
        try await world.store.commit([.prune(numbers.map(Sample.id), of: account)], durability: .normal)
    }

    private nonisolated static func placed(_ range: ClosedRange<Int>, in world: LiveWorld) throws -> [RemoteMessage] {
        try range.map { try Sample.placed($0, at: Int64($0), in: world.general) }
    }

    /// A list of an account with a name, whose first request is under way.
    private nonisolated static func list(
        _ world: LiveWorld, _ remote: ScriptedRemote, _ direction: LiveDirection = .ascending,
        isNewest: Bool = true, pageSize: Int = 6
    ) async throws -> LiveCollection<Message> {
        try await world.store.commit([.saveSession(try #require(session))])
        let anchor: LiveAnchor<MessageQuery.Cursor> = isNewest == (direction == .ascending) ? .last : .first
        let list = onMain {
            world.engine.collection(
                MessagesQuery(.channel(world.general), direction: direction, anchor: anchor, pageSize: pageSize),
                remote: remote)
        }
        await world.settle()
        return list
    }

    @Test(arguments: [LiveDirection.ascending, .descending])
    func aListWhoseTailWasDroppedRequestsItAgain(direction: LiveDirection) throws {
        try LiveWorld.run { world in
            let remote = ScriptedRemote(world.store)
            let list = try await Self.list(world, remote, direction)
            remote.answer(try Self.placed(1...6, in: world), newest: 6)
            await world.settle()
            let isAscending = direction == .ascending
            onMain {
                #expect(list.count == 6 && list.dataStatus == .fresh)
                #expect(!list.hasPrevious && !list.hasNext)
            }
            try await Self.prune(1...3, world)
            await world.settle()
            onMain {
                #expect(list.allObjects().map(\.text) == (isAscending ? ["4", "5", "6"] : ["6", "5", "4"]))
                // It is fresh as far as it goes, and knows that there is more.
                #expect(list.dataStatus == .fresh && list.loadingStatus == .loading)
                #expect(isAscending ? list.hasPrevious : list.hasNext)
            }
            let edge = ScriptedRemote.start(4)
            #expect(remote.asked.last == (isAscending ? .previous(edge, count: 6) : .next(edge, count: 6)))
            let (messages, end) = (try Self.placed(1...3, in: world), ScriptedRemote.end(3))
            remote.answer(messages, range: isAscending ? .init(end: end) : .init(start: end))
            await world.settle()
            onMain {
                #expect(list.count == 6 && list.dataStatus == .fresh && list.loadingStatus == .loaded)
                #expect(!list.hasPrevious && !list.hasNext)
            }
            #expect(remote.asked.count == 2)
        }
    }

    /// The page was stored, and a part of it dropped again, before the request has ended.
    @Test func aResponseDoesNotClaimWhatWasDroppedMeanwhile() throws {
        try LiveWorld.run { world in
            let remote = ScriptedRemote(world.store)
            for number in 1...6 { try await world.put(number, at: Int64(number)) }
            let list = try await Self.list(world, remote)
            try await Self.prune(1...3, world)
            await world.settle()
            remote.answer(try Self.placed(4...6, in: world), newest: 6)
            await world.settle()
            onMain {
                #expect(list.allObjects().map(\.text) == ["4", "5", "6"])
                #expect(list.dataStatus == .fresh && list.hasPrevious)
            }
            #expect(remote.asked.count == 2)
        }
    }

    /// Nothing of what a list shows is left: it begins anew, also while it requests more.
    @Test(arguments: [false, true]) func aListOfOldMessagesBeginsAnew(isPaging: Bool) throws {
        try LiveWorld.run { world in
            let remote = ScriptedRemote(world.store)
            let list = try await Self.list(world, remote, isNewest: false, pageSize: 3)
            remote.answer(try Self.placed(1...3, in: world), end: 3)
            await world.settle()
            onMain { #expect(list.count == 3 && list.dataStatus == .fresh && list.hasNext) }
            if isPaging { onMain { list.nextPage() } }
            await world.settle()
            try await world.put(4, at: 4)
            try await Self.prune(1...4, world)
            await world.settle()
            onMain { #expect(list.count == 0 && list.dataStatus != .fresh && list.loadingStatus == .loading) }
            if isPaging { remote.answer(try Self.placed(4...6, in: world), end: 6) }
            await world.settle()
            #expect(remote.asked.last == .first)
            remote.answer(try Self.placed(1...3, in: world), end: 3)
            await world.settle()
            // The messages of the response are displayed meanwhile, and are read again.
            if isPaging { remote.answer(try Self.placed(4...6, in: world), end: 6) }
            await world.settle()
            onMain {
                #expect(list.allObjects().map(\.text) == (1...(isPaging ? 6 : 3)).map { "\($0)" })
                #expect(list.dataStatus == .fresh && list.underlyingError == nil)
            }
        }
    }

    /// A commit that reports too much for the router's inbox.
    @Test func aListThatIsReadAgainEndsAboveWhatWasDropped() throws {
        try LiveWorld.run { world in
            let remote = ScriptedRemote(world.store)
            try await world.store.commit([.saveSession(try #require(Self.session))])
            let engine = LiveQueryEngine(
                store: world.store, runtime: world.runtime, delivery: world.delivery,
                bounds: .init(inboxCommitsMax: 1))
            let list = onMain {
                engine.collection(MessagesQuery(.channel(world.general), anchor: .last, pageSize: 6), remote: remote)
            }
            await world.settle()
            remote.answer(try Self.placed(1...6, in: world), newest: 6)
            await world.settle()
            for number in 1...3 { try await Self.prune(number...number, world) }
            await world.settle()
            onMain { #expect(list.allObjects().map(\.text) == ["4", "5", "6"] && list.hasPrevious) }
        }
    }

    @Test func anObjectThatWasDroppedIsRequestedAgain() throws {
        try LiveWorld.run { world in
            try await world.store.commit([.saveSession(try #require(Self.session))])
            try await world.put(1, at: 1)
            try await world.put(2, at: 2)
            let remote = ScriptedRemote(world.store)
            let object = onMain {
                world.engine.object(OneMessageQuery(Sample.id(1)), remote: ObjectTests.MessageAnswers(answers: remote))
            }
            await world.settle()
            remote.answer()
            await world.settle()
            onMain { #expect(object.dataStatus == .fresh) }
            try await Self.prune(2...2, world)
            await world.settle()
            #expect(remote.asked.count == 1)
            try await Self.prune(1...1, world)
            await world.settle()
            onMain { #expect(object.snapshot == nil && object.loadingStatus == .loading) }
            remote.answer(try Self.placed(1...1, in: world))
            await world.settle()
            #expect(remote.asked.count == 2)
            onMain { #expect(object.snapshot?.text == "1" && object.dataStatus == .fresh) }
        }
    }
}
