import CausewayLiveQuery
import CausewayModels
import CausewaySimulatedRuntime
import CausewayStorage
import Testing

/// Lists that the server's events keep up to date: own messages whose positions arrive before, or without, those of
/// others.
@MainActor struct EventGapTests {
    private nonisolated static func list(_ world: LiveWorld, _ remote: ScriptedRemote) -> LiveCollection<Message> {
        onMain {
            world.engine.collection(
                MessagesQuery(.channel(world.general), direction: .ascending, anchor: .last, pageSize: 3),
                remote: remote)
        }
    }

    private nonisolated static func placed(_ numbers: [Int], in world: LiveWorld) throws -> [RemoteMessage] {
        try numbers.map { try Sample.placed($0, at: Int64($0), in: world.general) }
    }

    private nonisolated static func deliver(_ number: Int, at position: Int64, in world: LiveWorld) async throws {
        try await world.store.commit([.deliver(Sample.id(number), Sample.serverPosition(position), at: Sample.time)])
        await world.settle()
    }

    private nonisolated static let upToSix = LoadedRange(newest: ScriptedRemote.end(6), cursor: "1")

    /// A list that the server has filled up to position 6, without a message at 4, while an own one, 100, is under way.
    private nonisolated static func listLackingFour(
        _ world: LiveWorld
    ) async throws -> (ScriptedRemote, LiveCollection<Message>) {
        let remote = ScriptedRemote(world.store)
        remote.following = .streaming
        let list = list(world, remote)
        await world.settle()
        _ = try await world.store.enqueue(try Sample.draft(100, in: world.general))
        remote.answer(try placed([1, 2, 3, 5, 6], in: world), range: upToSix)
        await world.settle()
        return (remote, list)
    }

    private nonisolated static func texts(_ list: LiveCollection<Message>) -> [String] {
        onMain { list.allObjects().map(\.text) }
    }

    /// The server did not list the message at its position: it may have been deleted there.
    @Test func anOwnMessageWithAPositionThatTheServerHasShownIsAskedFor() throws {
        try LiveWorld.run { world in
            let remote = ScriptedRemote(world.store)
            remote.following = .streaming
            let list = Self.list(world, remote)
            await world.settle()
            _ = try await world.store.enqueue(try Sample.draft(100, in: world.general))
            remote.answer(try Self.placed([1, 2, 3, 5, 6], in: world), newest: 6)
            await world.settle()
            #expect(remote.asked == [.first])
            try await Self.deliver(100, at: 4, in: world)
            #expect(remote.asked == [.first, .first])
            // It is not there: deleted by another device.
            try await world.store.commit([.delete(Sample.id(100))])
            remote.answer(try Self.placed([1, 2, 3, 5, 6], in: world), newest: 6)
            await world.settle()
            #expect(Self.texts(list) == ["1", "2", "3", "5", "6"])
            #expect(remote.asked.count == 2)
            onMain { #expect(list.dataStatus == .fresh && list.loadingStatus == .loaded) }
        }
    }

    /// It may have been deleted before the server was last asked: the changes since then would not show that.
    @Test(arguments: [false, true])
    func anOwnMessageWithAPositionThatTheServerHasShownIsAskedForByPages(asRequestIsUnderWay: Bool) throws {
        try LiveWorld.run { world in
            let (remote, list) = try await Self.listLackingFour(world)
            if asRequestIsUnderWay {
                onMain { list.refresh() }
                await world.settle()
                #expect(remote.changesAsked == 1, "changes suffice for a refresh")
            }
            try await Self.deliver(100, at: 4, in: world)
            if asRequestIsUnderWay {
                remote.answer([], range: Self.upToSix)
                await world.settle()
            }
            #expect(remote.asked == [.first, .first])
            #expect(remote.changesAsked == (asRequestIsUnderWay ? 1 : 0))
            try await world.store.commit([.delete(Sample.id(100))])
            remote.answer(try Self.placed([1, 2, 3, 5, 6], in: world), range: Self.upToSix)
            await world.settle()
            #expect(Self.texts(list) == ["1", "2", "3", "5", "6"])
            onMain { list.refresh() }
            await world.settle()
            #expect(remote.asked.count == 2 && remote.changesAsked == (asRequestIsUnderWay ? 2 : 1))
        }
    }

    /// The request fails: the next one is for pages, too.
    @Test func pagesThatCouldNotBeReadAreRequestedAgain() throws {
        try LiveWorld.run { world in
            let (remote, list) = try await Self.listLackingFour(world)
            try await Self.deliver(100, at: 4, in: world)
            remote.fail(.other(detail: "unreachable"))
            await world.settle()
            onMain { list.refresh() }
            await world.settle()
            #expect(remote.asked == [.first, .first, .first] && remote.changesAsked == 0)
        }
    }

    /// An own message may have got such a position in a commit that lists no changes.
    @Test func aCommitThatListsNoChangesIsFollowedByPages() throws {
        try LiveWorld.run { world in
            let (remote, list) = try await Self.listLackingFour(world)
            try await world.store.commit([
                .deliver(Sample.id(100), Sample.serverPosition(4), at: Sample.time),
                .forkOutbox(OutboxID(UUIDv7(high: 9, low: 9)), at: Sample.time),
            ])
            await world.settle()
            #expect(remote.asked == [.first, .first] && remote.changesAsked == 0)
            remote.answer(try Self.placed([1, 2, 3, 5, 6], in: world), range: Self.upToSix)
            await world.settle()
            onMain { #expect(list.dataStatus == .fresh) }
        }
    }

    /// A message of another sender that was placed before is only changed: nothing is asked for.
    @Test func aChangeOfAPlacedMessageIsNotAskedFor() throws {
        try LiveWorld.run { world in
            let remote = ScriptedRemote(world.store)
            remote.following = .streaming
            let list = Self.list(world, remote)
            await world.settle()
            remote.answer(try Self.placed([1, 2, 3], in: world), newest: 3)
            await world.settle()
            try await world.put(2, at: 2)
            await world.settle()
            #expect(remote.asked == [.first])
            onMain { #expect(list.dataStatus == .fresh) }
        }
    }

    /// Others' messages precede an own one. Events bring them, so that the server is not asked.
    @Test func aGapThatEventsFillIsNotAskedFor() throws {
        try LiveWorld.run { world in
            let remote = ScriptedRemote(world.store)
            remote.following = .streaming
            let list = Self.list(world, remote)
            await world.settle()
            remote.answer(try Self.placed([1, 2, 3], in: world), newest: 3)
            _ = try await world.store.enqueue(try Sample.draft(100, in: world.general))
            await world.settle()
            try await Self.deliver(100, at: 6, in: world)
            #expect(remote.asked == [.first])
            onMain { #expect(list.dataStatus == .local) }
            for number in [4, 5] { try await world.put(number, at: Int64(number)) }
            remote.bring(through: 6)
            world.engine.caughtUp()
            await world.settle()
            #expect(remote.asked == [.first])
            #expect(Self.texts(list) == ["1", "2", "3", "4", "5", "100"])
            onMain { #expect(list.dataStatus == .fresh && list.loadingStatus == .loaded) }
        }
    }

    /// Events have brought everything, and not up to the message: others before it may have come another way.
    @Test func aGapThatEventsLeaveIsAskedFor() throws {
        try LiveWorld.run { world in
            let remote = ScriptedRemote(world.store)
            remote.following = .streaming
            let list = Self.list(world, remote)
            await world.settle()
            remote.answer(try Self.placed([1, 2, 3], in: world), newest: 3)
            _ = try await world.store.enqueue(try Sample.draft(100, in: world.general))
            await world.settle()
            try await Self.deliver(100, at: 6, in: world)
            world.engine.caughtUp()
            await world.settle()
            #expect(remote.asked == [.first, .first])
            remote.answer(try Self.placed([4, 5], in: world), newest: 6)
            await world.settle()
            #expect(Self.texts(list) == ["1", "2", "3", "4", "5", "100"])
            onMain { #expect(list.dataStatus == .fresh && list.loadingStatus == .loaded) }
        }
    }

    /// While the stream is interrupted, a gap waits for it; once there is none, the server is asked.
    @Test func aGapIsAskedForWhenEventsStop() throws {
        try LiveWorld.run { world in
            let remote = ScriptedRemote(world.store)
            remote.following = .streaming
            let list = Self.list(world, remote)
            await world.settle()
            remote.answer(try Self.placed([1, 2, 3], in: world), newest: 3)
            _ = try await world.store.enqueue(try Sample.draft(100, in: world.general))
            await world.settle()
            try await Self.deliver(100, at: 6, in: world)
            #expect(remote.asked.count == 1)
            remote.following = .none
            world.engine.refresh(.reachable)
            await world.settle()
            #expect(remote.asked.count == 2)
            onMain { #expect(list.loadingStatus == .loading) }
            remote.answer(try Self.placed([4, 5], in: world), newest: 6)
            await world.settle()
        }
    }
}
