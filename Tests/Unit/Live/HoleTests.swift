import CausewayLiveQuery
import CausewayModels
import CausewaySimulatedRuntime
import CausewayStorage
import Testing

/// Lists without gaps: records that arrive by themselves, records of a refresh, and records outside of the loaded
/// range.
@MainActor struct HoleTests {
    private nonisolated static func list(
        _ world: LiveWorld, _ remote: ScriptedRemote, direction: LiveDirection = .ascending,
        anchor: LiveAnchor<MessageQuery.Cursor> = .last, pageSize: Int = 3,
        bounds: LiveQueryEngine.Bounds = .init()
    ) -> LiveCollection<Message> {
        let engine = LiveQueryEngine(
            store: world.store, runtime: world.runtime, delivery: world.delivery, bounds: bounds)
        return onMain {
            engine.collection(
                MessagesQuery(.channel(world.general), direction: direction, anchor: anchor, pageSize: pageSize),
                remote: remote)
        }
    }

    private nonisolated static func placed(_ range: ClosedRange<Int>, in world: LiveWorld) throws -> [RemoteMessage] {
        try range.map { try Sample.placed($0, at: Int64($0), in: world.general) }
    }

    /// A message of this account is delivered, and others that have not been read precede it.
    @Test(arguments: [LiveDirection.ascending, .descending])
    func anOwnMessageBehindOthersLeavesNoHoleInAFreshList(direction: LiveDirection) throws {
        try LiveWorld.run { world in
            let remote = ScriptedRemote(world.store)
            let isAscending = direction == .ascending
            let list = Self.list(world, remote, direction: direction, anchor: isAscending ? .last : .first)
            await world.settle()
            remote.answer(try Self.placed(1...3, in: world), newest: 3)
            await world.settle()
            _ = try await world.store.enqueue(try Sample.draft(100, in: world.general))
            try await world.store.commit([.deliver(Sample.id(100), Sample.serverPosition(4), at: Sample.time)])
            await world.settle()
            // It directly follows the known range: the server need not be asked.
            #expect(remote.asked.count == 1)
            onMain { #expect(list.dataStatus == .fresh && list.count == 4) }
            _ = try await world.store.enqueue(try Sample.draft(101, in: world.general))
            await world.settle()
            onMain { #expect(list.dataStatus == .fresh && list.count == 5) }
            try await world.store.commit([.deliver(Sample.id(101), Sample.serverPosition(7), at: Sample.time)])
            await world.settle()
            onMain { #expect(list.dataStatus == .local && list.loadingStatus == .loading && list.count == 5) }
            #expect(remote.asked == [.first, .first])
            remote.answer(try Self.placed(5...6, in: world), newest: 7)
            await world.settle()
            #expect(remote.asked.count == 2)
            onMain {
                let texts = ["1", "2", "3", "100", "5", "6", "101"]
                #expect(list.allObjects().map(\.text) == (isAscending ? texts : texts.reversed()))
                #expect(list.dataStatus == .fresh && list.loadingStatus == .loaded)
            }
        }
    }

    /// A response without the displayed record is accepted: the server is not asked again and again.
    @Test func aHoleThatTheServerDoesNotFillIsAskedForOnce() throws {
        try LiveWorld.run { world in
            let remote = ScriptedRemote(world.store)
            let list = Self.list(world, remote)
            await world.settle()
            remote.answer(try Self.placed(1...3, in: world), newest: 3)
            await world.settle()
            try await world.put(9, at: 9)
            await world.settle()
            remote.fail(.other(detail: "unreachable"))
            await world.settle()
            #expect(remote.asked.count == 2)
            onMain { #expect(list.dataStatus == .local && list.loadingStatus == .error && list.count == 4) }
        }
    }

    /// After a loss of the server's data, positions are assigned again: those of messages that it lost hide no hole.
    @Test func positionsOfLostMessagesHideNoHole() throws {
        try LiveWorld.run { world in
            let remote = ScriptedRemote(world.store)
            let list = Self.list(world, remote)
            await world.settle()
            remote.answer(try Self.placed(1...5, in: world), newest: 5)
            await world.settle()
            onMain { list.refresh() }
            await world.settle()
            remote.answer(gone: (1...5).map(Sample.id))
            await world.settle()
            onMain { #expect(list.dataStatus == .fresh && list.count == 0) }
            try await world.put(12, at: 2)
            await world.settle()
            #expect(remote.asked.count == 3)
            onMain { #expect(list.dataStatus == .local && list.count == 1) }
            remote.answer([try Sample.placed(11, at: 1, in: world.general)], newest: 2)
            await world.settle()
            onMain {
                #expect(list.allObjects().map(\.text) == ["11", "12"])
                #expect(list.dataStatus == .fresh)
            }
        }
    }

    /// A second list of a query begins with the range of the first one, and with the same assumption: that the server's
    /// response covers a row that was displayed already, as long as it is.
    @Test func aSecondListTakesOverTheAssumptionOfTheFirst() throws {
        try LiveWorld.run { world in
            let remote = ScriptedRemote(world.store)
            let engine = LiveQueryEngine(store: world.store, runtime: world.runtime, delivery: world.delivery)
            let query = MessagesQuery(.channel(world.general), anchor: .last, pageSize: 10)
            try await world.put(4, at: 4)
            let first = onMain { engine.collection(query, remote: remote) }
            await world.settle()
            remote.answer(try Self.placed(1...3, in: world), newest: 3)
            await world.settle()
            onMain { #expect(first.dataStatus == .fresh && first.count == 4) }
            let second = onMain { engine.collection(query, remote: remote) }
            await world.settle()
            onMain { #expect(second.dataStatus == .fresh && second.count == 4) }
            #expect(remote.asked.count == 1, "the second list begins with the range of the first")
            try await world.store.commit([.delete(Sample.id(4))])
            try await world.put(5, at: 5)
            await world.settle()
            onMain {
                #expect(first.dataStatus == .local && first.count == 4, "position 4 may be another message's")
                #expect(second.dataStatus == .local && second.count == 4, "position 4 may be another message's")
            }
        }
    }

    /// The window lies far from the range that the server covers: none of its edges remains outside.
    @Test func aWindowOutsideOfWhatTheServerCoversBeginsAnew() throws {
        try LiveWorld.run { world in
            for number in 1...19 { try await world.put(number, at: Int64(number)) }
            let remote = ScriptedRemote(world.store)
            // Most of it is dropped at the newest end, which is bounded then.
            let list = Self.list(world, remote, direction: .descending, anchor: .at(.init(position: 10, ordinal: 0)))
            await world.settle()
            onMain { #expect(list.allObjects().map(\.text) == ["10", "9", "8"]) }
            remote.answer(try Self.placed(43...47, in: world), startAfter: nil, endBefore: 43)
            await world.settle()
            for _ in 0..<3 {
                remote.answer(try Self.placed(41...42, in: world), startAfter: nil, endBefore: 41)
                await world.settle()
            }
            onMain {
                let shown = list.snapshots.compactMap(\.serverPosition?.position)
                #expect(list.dataStatus == .fresh)
                #expect(zip(shown, shown.dropFirst()).allSatisfy { $0 - 1 == $1 }, "\(shown)")
                #expect(shown.allSatisfy { $0 >= 41 }, "\(shown)")
            }
        }
    }

    /// However often the server is asked again, the list keeps all of its records.
    @Test func aListNeverShrinksWhileItIsRefreshed() throws {
        try LiveWorld.run { world in
            let remote = ScriptedRemote(world.store)
            let engine = LiveQueryEngine(store: world.store, runtime: world.runtime, delivery: world.delivery)
            let list = onMain {
                engine.collection(
                    MessagesQuery(.channel(world.general), anchor: .last, pageSize: 1000), remote: remote)
            }
            await world.settle()
            remote.answer(try Self.placed(2001...3000, in: world), start: 2001, newest: 3000)
            await world.settle()
            for start in [1001, 1] {
                onMain { list.previousPage() }
                await world.settle()
                remote.answer(try Self.placed(start...(start + 999), in: world), start: start == 1 ? nil : Int64(start))
                await world.settle()
            }
            let counts = onMain { SequenceTests.Log() }
            let token = onMain {
                list.observe { list, _ in counts.lines.append("\(list.count) \(list.dataStatus)") }
            }
            await world.settle()
            engine.refresh(.reachable)
            await world.settle()
            // Page by page, as with a server that reports no changes; two messages are new.
            remote.answer(try Self.placed(2983...3002, in: world), start: 2983, newest: 3002)
            await world.settle()
            for last in stride(from: 2982, through: 1, by: -200) {
                let first = max(1, last - 199)
                remote.answer(try Self.placed(first...last, in: world), start: first == 1 ? nil : Int64(first))
                await world.settle()
            }
            onMain {
                #expect(list.loadingStatus == .loaded && list.count == 3002)
                #expect(counts.lines.allSatisfy { $0 == "3000 fresh" || $0 == "3002 fresh" }, "\(counts.lines)")
            }
            withExtendedLifetime(token) {}
        }
    }

    /// A refresh that fails half-way leaves the list unchanged.
    @Test func aRefreshThatFailsTakesNothingAway() throws {
        try LiveWorld.run { world in
            let remote = ScriptedRemote(world.store)
            let engine = LiveQueryEngine(store: world.store, runtime: world.runtime, delivery: world.delivery)
            let list = onMain {
                engine.collection(MessagesQuery(.channel(world.general), anchor: .last, pageSize: 6), remote: remote)
            }
            await world.settle()
            remote.answer(try Self.placed(5...10, in: world), start: 5, newest: 10)
            await world.settle()
            engine.refresh(.reachable)
            await world.settle()
            remote.answer(try Self.placed(9...10, in: world), start: 9, newest: 10)
            await world.settle()
            remote.fail(.other(detail: "unreachable"))
            await world.settle()
            onMain {
                #expect(list.dataStatus == .fresh && list.loadingStatus == .error)
                #expect(list.allObjects().map(\.text) == (5...10).map(String.init))
            }
        }
    }

    /// A page without progress is not the end of the channel.
    @Test func anAnswerThatLeadsNowhereIsAnError() throws {
        try LiveWorld.run { world in
            let remote = ScriptedRemote(world.store)
            let list = Self.list(world, remote)
            await world.settle()
            remote.answer(try Self.placed(8...10, in: world), start: 8, newest: 10)
            await world.settle()
            onMain { list.previousPage() }
            await world.settle()
            remote.answer([], start: 8)
            await world.settle()
            onMain {
                #expect(list.dataStatus == .local && list.loadingStatus == .error)
                #expect(list.underlyingError as? RemoteSourceError == .noProgress)
            }
        }
    }
}
