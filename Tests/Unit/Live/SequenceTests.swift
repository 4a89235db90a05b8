import CausewayLiveQuery
import CausewayModels
import CausewayRuntime
import CausewaySimulatedRuntime
import CausewayStorage
import Observation
import Testing

/// The sequences that the documented SDK guarantees, one test for each.
@MainActor struct SequenceTests {
    /// The changes passed to an observer, as text.
    @MainActor final class Log {
        var lines: [String] = []

        func observe(_ collection: LiveCollection<Message>) -> NotificationToken {
            collection.observe { [self] _, change in
                lines.append("\(change.loadingStatus) \(change.dataStatus) \(change.snapshot.map(\.text))")
            }
        }

        func listen(_ collection: LiveCollection<Message>) {
            collection.on(.loadingStatusChanged) { [self] in lines.append("loading \($0.oldValue) > \($0.newValue)") }
            collection.on(.dataStatusChanged) { [self] in lines.append("status \($0.oldValue) > \($0.newValue)") }
            collection.on(.dataUpdated) { [self] in lines.append("data \($0.snapshot.map(\.text))") }
            collection.on(.dataError) { [self] _ in lines.append("error") }
        }
    }

    @Test func dataAbsentLocally() throws {
        try LiveWorld.run { world in
            let remote = ScriptedRemote(world.store)
            let (log, collection) = onMain { (Log(), world.collection(remote)) }
            let token = onMain { log.observe(collection) }
            await world.settle()
            // There is nothing to show before the server has responded.
            onMain { #expect(log.lines.isEmpty) }
            remote.answer([try Sample.placed(1, at: 1, in: world.general)])
            await world.settle()
            onMain { #expect(log.lines == [#"loaded fresh ["1"]"#]) }
            token.invalidate()
        }
    }

    @Test func dataLocalThenFresh() throws {
        try LiveWorld.run { world in
            try await world.put(1, at: 1)
            let remote = ScriptedRemote(world.store)
            let (log, collection) = onMain { (Log(), world.collection(remote)) }
            let token = onMain { log.observe(collection) }
            await world.settle()
            onMain { #expect(log.lines == [#"loading local ["1"]"#]) }
            remote.answer([try Sample.placed(2, at: 2, in: world.general)])
            await world.settle()
            onMain { #expect(log.lines == [#"loading local ["1"]"#, #"loaded fresh ["1", "2"]"#]) }
            token.invalidate()
        }
    }

    @Test func dataAlreadyFresh() throws {
        try LiveWorld.run { world in
            try await world.put(1, at: 1)
            let remote = ScriptedRemote(world.store)
            let first = onMain { world.collection(remote) }
            await world.settle()
            remote.answer()
            await world.settle()
            onMain { #expect(first.dataStatus == .fresh) }
            let unasked = ScriptedRemote(world.store)
            let (log, second) = onMain { (Log(), world.collection(unasked)) }
            let token = onMain { log.observe(second) }
            await world.settle()
            onMain { #expect(log.lines == [#"notLoading fresh ["1"]"#]) }
            #expect(unasked.asked.isEmpty)
            withExtendedLifetime((first, token)) {}
        }
    }

    @Test func theServerFailsWhileLocalDataIsShown() throws {
        try LiveWorld.run { world in
            try await world.put(1, at: 1)
            let remote = ScriptedRemote(world.store)
            let (log, collection) = onMain { (Log(), world.collection(remote)) }
            onMain { log.listen(collection) }
            await world.settle()
            onMain { log.lines = [] }
            remote.fail(.other(detail: "unreachable"))
            await world.settle()
            onMain {
                #expect(log.lines == ["loading loading > error", "error"])
                #expect(collection.allObjects().map(\.text) == ["1"])
                #expect(collection.dataStatus == .local)
                #expect(collection.underlyingError as? StoreError == .other(detail: "unreachable"))
            }
        }
    }

    @Test func theServerFailsAndNothingIsThere() throws {
        try LiveWorld.run { world in
            let remote = ScriptedRemote(world.store)
            let (log, collection) = onMain { (Log(), world.collection(remote)) }
            onMain { log.listen(collection) }
            await world.settle()
            remote.fail(.other(detail: "unreachable"))
            await world.settle()
            onMain {
                #expect(log.lines == ["loading loading > error", "status notExist > error", "error"])
                #expect(collection.count == 0)
            }
        }
    }

    @Test func observeOnceWithLocalDataFiresOnceWithIt() throws {
        try LiveWorld.run { world in
            try await world.put(1, at: 1)
            let remote = ScriptedRemote(world.store)
            let (log, collection) = onMain { (Log(), world.collection(remote)) }
            let token = onMain {
                collection.observeOnce { _, change in log.lines.append("\(change.dataStatus) \(change.snapshot.count)")
                }
            }
            await world.settle()
            remote.answer([try Sample.placed(2, at: 2, in: world.general)])
            await world.settle()
            onMain { #expect(log.lines == ["local 1"]) }
            withExtendedLifetime(token) {}
        }
    }

    @Test func observeOnceWithoutLocalDataWaitsForTheServer() throws {
        try LiveWorld.run { world in
            let remote = ScriptedRemote(world.store)
            let (log, collection) = onMain { (Log(), world.collection(remote)) }
            let token = onMain {
                collection.observeOnce { _, change in log.lines.append("\(change.dataStatus) \(change.snapshot.count)")
                }
            }
            await world.settle()
            onMain { #expect(log.lines.isEmpty) }
            remote.answer()
            await world.settle()
            try await world.put(1, at: 1)
            await world.settle()
            onMain { #expect(log.lines == ["fresh 0"]) }
            withExtendedLifetime(token) {}
        }
    }

    @Test func theOrderIsLoadingStatusThenDataStatusThenData() throws {
        try LiveWorld.run { world in
            try await world.put(1, at: 1)
            let remote = ScriptedRemote(world.store)
            let (log, collection) = onMain { (Log(), world.collection(remote)) }
            onMain { log.listen(collection) }
            await world.settle()
            onMain {
                #expect(log.lines == ["status notExist > local", #"data ["1"]"#])
                log.lines = []
            }
            remote.answer([try Sample.placed(2, at: 2, in: world.general)])
            await world.settle()
            onMain {
                #expect(
                    log.lines == ["loading loading > loaded", "status local > fresh", #"data ["1", "2"]"#])
            }
        }
    }

    @Test func dataAreReportedOnceMoreWhenTheyAreFoundToBeFresh() throws {
        try LiveWorld.run { world in
            try await world.put(1, at: 1)
            let remote = ScriptedRemote(world.store)
            let (log, collection) = onMain { (Log(), world.collection(remote)) }
            onMain { log.listen(collection) }
            await world.settle()
            onMain { log.lines = [] }
            // The server has nothing new, and there is a change in another channel.
            remote.answer([try Sample.placed(1, at: 1, in: world.general)])
            try await world.store.commit([
                .merge(try Sample.placed(7, at: 1, in: #require(ChannelID("elsewhere"))), at: Sample.time)
            ])
            await world.settle()
            onMain { #expect(log.lines == ["loading loading > loaded", "status local > fresh", #"data ["1"]"#]) }
            onMain { log.lines = [] }
            // From now on only when they differ.
            try await world.put(1, at: 1)
            await world.settle()
            onMain { #expect(log.lines.isEmpty) }
        }
    }

    @Test func statesAreReadableBeforeTheSnapshotChanges() throws {
        try LiveWorld.run { world in
            try await world.put(1, at: 1)
            let collection = onMain { world.collection(nil) }
            let log = onMain { Log() }
            onMain {
                withObservationTracking {
                    _ = collection.snapshots
                } onChange: {
                    // Called just before the snapshot is set.
                    onMain {
                        log.lines.append("\(collection.loadingStatus) \(collection.dataStatus) \(collection.count)")
                    }
                }
            }
            await world.settle()
            onMain {
                #expect(log.lines == ["notLoading fresh 0"])
                #expect(collection.count == 1)
            }
        }
    }

    /// A disk that is in trouble while a page is being stored does not stop the screens.
    @Test func framesAreHeldBackForASecondAtMost() throws {
        struct StallingRemote: RemoteSource {
            let world: LiveWorld
            func load(
                _ page: RemoteSourcePage<MessageQuery.Cursor>, hold: FrameHold
            ) async throws -> LoadedRange<MessageQuery.Cursor> {
                hold.begin()
                try await world.put(1, at: 1)
                await world.runtime.sleep(until: world.runtime.now + .seconds(10))
                return LoadedRange()
            }
        }
        try LiveWorld.run { world in
            let log = onMain { SequenceLog() }
            let list = onMain {
                world.engine.collection(
                    MessagesQuery(.channel(world.general)), remote: StallingRemote(world: world))
            }
            let token = onMain { log.follow(list) }
            await world.settle()
            onMain { #expect(log.take() == ["new loading notExist []"]) }
            await world.runtime.sleep(until: world.runtime.now + .seconds(2))
            onMain {
                #expect(
                    log.take() == ["status notExist > local", #"data local ["1"]"#, #"loading local ["1"]"#])
            }
            await world.runtime.sleep(until: world.runtime.now + .seconds(10))
            onMain {
                #expect(
                    log.take() == [
                        "loading loading > loaded", "status local > fresh", #"data fresh ["1"]"#,
                        #"loaded fresh ["1"]"#,
                    ])
            }
            token.invalidate()
        }
    }

    @Test func hasNextIsFalseUntilTheFirstQueryHasEnded() throws {
        try LiveWorld.run { world in
            for number in 1...5 { try await world.put(number, at: Int64(number)) }
            let collection = onMain { world.engine.collection(MessagesQuery(.channel(world.general), pageSize: 2)) }
            onMain {
                #expect(!collection.hasNext && !collection.hasPrevious)
                collection.nextPage()
            }
            await world.settle()
            onMain {
                #expect(collection.hasNext && !collection.hasPrevious)
                #expect(collection.count == 2)
            }
        }
    }
}

extension LiveWorld {
    @MainActor
    func collection(_ remote: ScriptedRemote?) -> LiveCollection<Message> {
        engine.collection(MessagesQuery(.channel(general)), remote: remote)
    }

    /// Stores a message of another user.
    func put(_ number: Int, at position: Int64, _ text: String? = nil) async throws {
        try await store.commit([.merge(try Sample.placed(number, at: position, text, in: general), at: Sample.time)])
    }
}
