import CausewayLiveQuery
import CausewayModels
import CausewaySimulatedRuntime
import CausewayStorage
import Testing

/// Refreshing from the server, and the part of the stored records that may be shown as the server's.
@MainActor struct RefreshTests {
    /// A collection that begins with the newest messages, the oldest of them at the top.
    private nonisolated static func conversation(
        _ world: LiveWorld, _ remote: ScriptedRemote, pageSize: Int = 3
    ) -> LiveCollection<Message> {
        onMain {
            world.engine.collection(
                MessagesQuery(.channel(world.general), anchor: .last, pageSize: pageSize), remote: remote)
        }
    }

    private nonisolated static func placed(_ range: ClosedRange<Int>, in world: LiveWorld) throws -> [RemoteMessage] {
        try range.map { try Sample.placed($0, at: Int64($0), in: world.general) }
    }

    @Test func whatCouldNotBeAskedForIsAskedForWhenTheServerCanBeReached() throws {
        try LiveWorld.run { world in
            try await world.put(1, at: 1)
            let remote = ScriptedRemote(world.store)
            let collection = Self.conversation(world, remote)
            await world.settle()
            remote.fail(.other(detail: "unreachable"))
            await world.settle()
            onMain { #expect(collection.dataStatus == .local && collection.loadingStatus == .error) }
            world.engine.refresh(.reachable)
            await world.settle()
            onMain { #expect(collection.loadingStatus == .loading) }
            remote.answer(try Self.placed(1...2, in: world))
            await world.settle()
            #expect(remote.asked == [.first, .first])
            onMain {
                #expect(collection.dataStatus == .fresh && collection.loadingStatus == .loaded)
                #expect(collection.underlyingError == nil)
                #expect(collection.allObjects().map(\.text) == ["1", "2"])
            }
        }
    }

    @Test func anOccasionThatComesWhileTheServerIsAskedIsNotLost() throws {
        try LiveWorld.run { world in
            try await world.put(1, at: 1)
            let remote = ScriptedRemote(world.store)
            let collection = Self.conversation(world, remote)
            await world.settle()
            world.engine.refresh(.reachable)
            await world.settle()
            #expect(remote.asked == [.first])
            remote.fail(.other(detail: "unreachable"))
            await world.settle()
            #expect(remote.asked == [.first, .first])
            remote.answer(try Self.placed(1...1, in: world))
            await world.settle()
            onMain { #expect(collection.dataStatus == .fresh && collection.underlyingError == nil) }
        }
    }

    @Test func anotherSessionBeginsWithNothingFresh() throws {
        try LiveWorld.run { world in
            let remote = ScriptedRemote(world.store)
            let collection = Self.conversation(world, remote)
            await world.settle()
            remote.answer(try Self.placed(4...6, in: world), start: 4)
            await world.settle()
            onMain { #expect(collection.dataStatus == .fresh) }
            world.engine.refresh(.newSession)
            await world.settle()
            onMain { #expect(collection.dataStatus == .local && collection.loadingStatus == .loading) }
            remote.fail(.other(detail: "nobody is logged in"))
            await world.settle()
            onMain { #expect(collection.dataStatus == .local && collection.loadingStatus == .error) }
            world.engine.refresh(.newSession)
            await world.settle()
            remote.answer(try Self.placed(4...6, in: world), start: 4)
            await world.settle()
            onMain { #expect(collection.dataStatus == .fresh && collection.loadingStatus == .loaded) }
        }
    }

    @Test func theAnswerToAnotherSessionIsNotTaken() throws {
        try LiveWorld.run { world in
            let remote = ScriptedRemote(world.store)
            let collection = Self.conversation(world, remote)
            await world.settle()
            world.engine.refresh(.newSession)
            await world.settle()
            #expect(remote.asked == [.first, .first])
            remote.answer()  // for the previous session
            await world.settle()
            onMain { #expect(collection.dataStatus != .fresh && collection.loadingStatus == .loading) }
            remote.answer()
            await world.settle()
            onMain { #expect(collection.dataStatus == .fresh) }
        }
    }

    // MARK: Gaps

    @Test func aHoleIsFilledBeforeTheListIsFresh() throws {
        try LiveWorld.run { world in
            for number in 1...3 { try await world.put(number, at: Int64(number)) }
            let remote = ScriptedRemote(world.store)
            let collection = Self.conversation(world, remote)
            await world.settle()
            remote.answer(try Self.placed(10...12, in: world), start: 10)
            await world.settle()
            onMain {
                #expect(collection.dataStatus == .local && collection.loadingStatus == .loading)
                #expect(collection.allObjects().map(\.text) == ["1", "2", "3", "10", "11", "12"])
            }
            remote.answer(try Self.placed(2...9, in: world), start: 2)
            await world.settle()
            remote.answer(try Self.placed(1...1, in: world))
            await world.settle()
            #expect(
                remote.asked == [
                    .first, .previous(ScriptedRemote.start(10), count: 200),
                    .previous(ScriptedRemote.start(2), count: 200),
                ])
            onMain {
                #expect(collection.dataStatus == .fresh && collection.loadingStatus == .loaded)
                #expect(collection.allObjects().map(\.text) == (1...12).map(String.init))
                #expect(!collection.hasPrevious)
            }
        }
    }

    @Test func aHoleThatIsTooWideEndsTheList() throws {
        try LiveWorld.run { world in
            for number in 1...3 { try await world.put(number, at: Int64(number)) }
            let remote = ScriptedRemote(world.store)
            let collection = Self.conversation(world, remote)
            await world.settle()
            for number in stride(from: 102, through: 72, by: -3) {
                #expect(remote.asked.count == (102 - number) / 3 + 1)
                remote.answer(try Self.placed((number - 2)...number, in: world), start: Int64(number - 2))
                await world.settle()
            }
            onMain {
                #expect(collection.dataStatus == .fresh && collection.loadingStatus == .loaded)
                #expect(collection.allObjects().map(\.text) == (70...102).map(String.init))
                #expect(collection.hasPrevious)
                collection.previousPage()
            }
            await world.settle()
            onMain { #expect(collection.loadingStatus == .loading && collection.count == 33) }
            remote.answer(try Self.placed(67...69, in: world), start: 67)
            await world.settle()
            onMain {
                #expect(collection.allObjects().map(\.text) == (67...102).map(String.init))
                #expect(collection.dataStatus == .fresh)
            }
            // Records stored earlier appear only after the server was asked for those before them.
            onMain { collection.previousPage() }
            await world.settle()
            remote.answer(try Self.placed(3...66, in: world), start: 3)
            await world.settle()
            onMain { #expect(collection.allObjects().map(\.text) == (64...102).map(String.init)) }
        }
    }

    @Test func withoutTheServerWhatIsStoredIsShownAndNotCalledFresh() throws {
        try LiveWorld.run { world in
            for number in 1...3 { try await world.put(number, at: Int64(number)) }
            let remote = ScriptedRemote(world.store)
            let collection = Self.conversation(world, remote, pageSize: 2)
            await world.settle()
            remote.answer(try Self.placed(2...3, in: world), start: 2)
            await world.settle()
            onMain {
                #expect(collection.dataStatus == .fresh && collection.count == 2)
                collection.previousPage()
            }
            await world.settle()
            remote.fail(.other(detail: "unreachable"))
            await world.settle()
            onMain {
                #expect(collection.allObjects().map(\.text) == ["1", "2", "3"])
                #expect(collection.dataStatus == .local && collection.loadingStatus == .error)
                #expect(!collection.hasPrevious)
            }
            world.engine.refresh(.reachable)
            await world.settle()
            remote.answer(try Self.placed(2...3, in: world), start: 2)
            await world.settle()
            remote.answer(try Self.placed(1...1, in: world))
            await world.settle()
            onMain { #expect(collection.dataStatus == .fresh && collection.count == 3) }
        }
    }

    // MARK: Pages

    @Test func theSecondCollectionOfAQueryPagesToTheServer() throws {
        try LiveWorld.run { world in
            let remote = ScriptedRemote(world.store)
            let first = Self.conversation(world, remote)
            await world.settle()
            remote.answer(try Self.placed(4...6, in: world), start: 4)
            await world.settle()
            let other = ScriptedRemote(world.store)
            let second = Self.conversation(world, other)
            await world.settle()
            onMain {
                #expect(second.dataStatus == .fresh && second.hasPrevious)
                second.previousPage()
            }
            await world.settle()
            #expect(other.asked == [.previous(ScriptedRemote.start(4), count: 3)])
            other.answer(try Self.placed(1...3, in: world))
            await world.settle()
            onMain {
                #expect(second.allObjects().map(\.text) == (1...6).map(String.init))
                #expect(!second.hasPrevious)
            }
            withExtendedLifetime(first) {}
        }
    }

    @Test func whatWasFreshLongAgoIsAskedForAgain() throws {
        try LiveWorld.run { world in
            let remote = ScriptedRemote(world.store)
            let first = Self.conversation(world, remote)
            await world.settle()
            remote.answer()
            await world.runtime.sleep(until: world.runtime.now + LiveLimits.freshnessAge + .seconds(1))
            let other = ScriptedRemote(world.store)
            let second = Self.conversation(world, other)
            await world.settle()
            #expect(other.asked == [.first])
            withExtendedLifetime((first, second)) {}
        }
    }

    /// The other list may be closed before its response arrives.
    @Test func aListThatIsOpenedDuringARefreshAsksItself() throws {
        try LiveWorld.run { world in
            let remote = ScriptedRemote(world.store)
            let first = Self.conversation(world, remote)
            await world.settle()
            remote.answer(try Self.placed(1...1, in: world))
            await world.settle()
            world.engine.refresh(.everything)
            await world.settle()
            let other = ScriptedRemote(world.store)
            let second = Self.conversation(world, other)
            await world.settle()
            #expect(remote.asked == [.first, .first] && other.asked == [.first])
            onMain {
                #expect(second.dataStatus == .local && second.loadingStatus == .loading)
                first.dispose()
            }
            remote.fail(.other(detail: "closed"))
            other.answer(try Self.placed(1...2, in: world))
            await world.settle()
            onMain { #expect(second.dataStatus == .fresh && second.allObjects().map(\.text) == ["1", "2"]) }
        }
    }

    @Test func aListThatIsOpenedAfterAFailedRefreshAsksItself() throws {
        try LiveWorld.run { world in
            let remote = ScriptedRemote(world.store)
            let first = Self.conversation(world, remote)
            await world.settle()
            remote.answer(try Self.placed(1...1, in: world))
            await world.settle()
            world.engine.refresh(.everything)
            await world.settle()
            remote.fail(.other(detail: "unreachable"))
            await world.settle()
            onMain { #expect(first.loadingStatus == .error) }
            let other = ScriptedRemote(world.store)
            let second = Self.conversation(world, other)
            await world.settle()
            #expect(other.asked == [.first])
            other.answer(try Self.placed(1...1, in: world))
            await world.settle()
            onMain { #expect(second.dataStatus == .fresh) }
        }
    }

    @Test func aListThatIsReadBackFromTheServerKeepsWhatItHas() throws {
        try LiveWorld.run { world in
            let engine = LiveQueryEngine(
                store: world.store, runtime: world.runtime, delivery: world.delivery,
                bounds: .init(surplusMax: 10))
            let remote = ScriptedRemote(world.store)
            let collection = onMain {
                engine.collection(
                    MessagesQuery(.channel(world.general), anchor: .last, pageSize: 5), remote: remote)
            }
            await world.settle()
            remote.answer(try Self.placed(96...100, in: world), start: 96)
            await world.settle()
            for page in 1...8 {
                onMain { collection.previousPage() }
                await world.settle()
                let start = 96 - 5 * page
                remote.answer(try Self.placed(start...(start + 4), in: world), start: Int64(start))
                await world.settle()
                onMain { #expect(collection.allObjects().map(\.text) == (start...100).map(String.init)) }
            }
        }
    }

    @Test func fromAMessageTheServerIsAskedBothWays() throws {
        try LiveWorld.run { world in
            for direction in [LiveDirection.ascending, .descending] {
                try await world.put(5, at: 5)
                let message = try #require(try await world.store.message(Sample.id(5)))
                let remote = ScriptedRemote(world.store)
                let collection = onMain {
                    world.engine.collection(
                        MessagesQuery(
                            .channel(world.general), direction: direction, anchor: .at(message.cursor), pageSize: 2),
                        remote: remote)
                }
                await world.settle()
                let isAscending = direction == .ascending
                if isAscending {
                    remote.answer(try Self.placed(5...6, in: world), start: 5, end: 6)
                } else {
                    remote.answer(try Self.placed(4...5, in: world), startAfter: 5, endBefore: 4)
                }
                await world.settle()
                onMain {
                    #expect(collection.allObjects().map(\.text) == (isAscending ? ["5", "6"] : ["5", "4"]))
                    #expect(collection.hasNext && collection.hasPrevious)
                    #expect(collection.dataStatus == .fresh)
                    collection.previousPage()
                }
                await world.settle()
                remote.answer(try (isAscending ? Self.placed(4...4, in: world) : Self.placed(6...6, in: world)))
                await world.settle()
                onMain {
                    #expect(
                        collection.allObjects().map(\.text) == (isAscending ? ["4", "5", "6"] : ["6", "5", "4"]))
                    #expect(!collection.hasPrevious && collection.hasNext)
                    collection.dispose()
                }
                try await world.store.commit([4, 6].map { .delete(Sample.id($0)) })
            }
        }
    }
}
