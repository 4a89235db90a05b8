import CausewayLiveQuery
import CausewayModels
import CausewayRuntime
import CausewaySimulatedRuntime
import CausewayStorage
import Testing

/// A live object with a server, its observers and its events.
@MainActor struct ObjectTests {
    /// The server side of one message.
    struct MessageAnswers: RemoteSource {
        let answers: ScriptedRemote

        func load(_ page: RemoteSourcePage<Int64>, hold: FrameHold) async throws -> LoadedRange<Int64> {
            _ = try await answers.load(.first, hold: hold)
            return LoadedRange()
        }
    }

    private nonisolated static func object(_ world: LiveWorld, _ remote: ScriptedRemote) -> LiveObject<Message> {
        onMain {
            world.engine.object(OneMessageQuery(Sample.id(1)), remote: MessageAnswers(answers: remote))
        }
    }

    @Test func whatIsStoredIsLocalUntilTheServerAnswers() throws {
        try LiveWorld.run { world in
            try await world.put(1, at: 1)
            let remote = ScriptedRemote(world.store)
            let (log, object) = onMain { (SequenceTests.Log(), Self.object(world, remote)) }
            let token = onMain {
                object.observe { _, change in
                    log.lines.append("\(change.loadingStatus) \(change.dataStatus) \(change.snapshot?.text ?? "-")")
                }
            }
            await world.settle()
            onMain { #expect(log.lines == ["loading local 1"]) }
            remote.answer([try Sample.placed(1, at: 1, "edited", in: world.general)])
            await world.settle()
            onMain {
                #expect(log.lines == ["loading local 1", "loaded fresh edited"])
                #expect(object.snapshot?.text == "edited" && object.underlyingError == nil)
            }
            token.invalidate()
        }
    }

    @Test func whatTheServerDoesNotHaveDoesNotExist() throws {
        try LiveWorld.run { world in
            let remote = ScriptedRemote(world.store)
            let (log, object) = onMain { (SequenceTests.Log(), Self.object(world, remote)) }
            let token = onMain {
                object.observeOnce { _, change in log.lines.append("\(change.loadingStatus) \(change.dataStatus)") }
            }
            await world.settle()
            onMain { #expect(log.lines.isEmpty) }
            remote.answer()
            await world.settle()
            try await world.put(1, at: 1)
            await world.settle()
            onMain {
                #expect(log.lines == ["loaded notExist"])
                #expect(object.dataStatus == .fresh && object.snapshot != nil)
            }
            withExtendedLifetime(token) {}
        }
    }

    @Test func aServerThatFailsIsAskedAgain() throws {
        try LiveWorld.run { world in
            let remote = ScriptedRemote(world.store)
            let (log, object) = onMain { (SequenceTests.Log(), Self.object(world, remote)) }
            onMain {
                object.on(.loadingStatusChanged) { log.lines.append("loading \($0.newValue)") }
                object.on(.dataStatusChanged) { log.lines.append("status \($0.newValue)") }
                object.on(.dataError) { _ in log.lines.append("error") }
                object.once(.dataError) { _ in log.lines.append("error once") }
            }
            await world.settle()
            for _ in 1...2 {
                remote.fail(.other(detail: "unreachable"))
                await world.settle()
                world.engine.refresh(.reachable)
                await world.settle()
            }
            remote.answer([try Sample.placed(1, at: 1, in: world.general)])
            await world.settle()
            onMain {
                #expect(log.lines.filter { $0 == "error" }.count == 2)
                #expect(log.lines.filter { $0 == "error once" }.count == 1)
                #expect(log.lines.first == "loading error")
                #expect(log.lines.contains("status error"))
                #expect(object.dataStatus == .fresh && object.loadingStatus == .loaded && object.underlyingError == nil)
                object.removeAllListeners()
            }
            let told = onMain { log.lines.count }
            try await world.put(1, at: 1, "edited")
            world.engine.refresh(.newSession)
            await world.settle()
            onMain { #expect(log.lines.count == told && object.dataStatus == .local) }
        }
    }

    /// An error of the store hides an error of the server for a while.
    @Test func anErrorThatTakesThePlaceOfAnotherIsTold() throws {
        try LiveWorld.run { world in
            try await world.put(1, at: 1)
            let store = TurbulentStore(world.store)
            let engine = LiveQueryEngine(store: store, runtime: world.runtime, delivery: world.delivery)
            let remote = ScriptedRemote(world.store)
            let collection = onMain { engine.collection(MessagesQuery(.channel(world.general)), remote: remote) }
            await world.settle()
            remote.fail(.other(detail: "unreachable"))
            await world.settle()
            onMain { #expect(collection.underlyingError as? StoreError == .other(detail: "unreachable")) }
            store.failNextReads(1)
            onMain { collection.resetPage() }
            await world.settle()
            onMain {
                #expect(collection.underlyingError as? StoreError == .other(detail: "a reading that was told to fail"))
            }
            remote.fail(.other(detail: "unreachable again"))
            await world.settle()
            onMain {
                #expect(collection.underlyingError as? StoreError == .other(detail: "a reading that was told to fail"))
            }
            await world.runtime.sleep(until: world.runtime.now + .seconds(2))
            onMain { #expect(collection.underlyingError as? StoreError == .other(detail: "unreachable again")) }
        }
    }

    /// The rows are read in more than one page, while they change.
    @Test func aRecordThatIsReadTwiceIsShownOnce() throws {
        try LiveWorld.run { world in
            for number in 1...6 { try await world.put(number, at: Int64(number)) }
            let store = TurbulentStore(world.store)
            let engine = LiveQueryEngine(
                store: store, runtime: world.runtime, delivery: world.delivery, bounds: .init(readingMax: 3))
            let strikes = WriteCount()
            store.setTurbulence(
                TurbulentStore.Turbulence { () async throws(StoreError) in
                    // After the first page was read, a message of it moves to the end.
                    guard strikes.next(below: 2) == 2 else { return }
                    let moved = try? Sample.placed(1, at: 7, in: world.general)
                    if let moved { try await world.store.commit([.merge(moved, at: Sample.time)]) }
                })
            let collection = onMain { engine.collection(MessagesQuery(.channel(world.general))) }
            await world.settle()
            onMain { #expect(collection.allObjects().map(\.text) == ["2", "3", "4", "5", "6", "1"]) }
        }
    }
}
