import Causeway
import CausewayModels
import CausewayRecords
import CausewayRuntime
import CausewaySimulatedRuntime
import CausewayStorage
import CausewayTransport
import Synchronization
import Testing

/// Records of a kind that only a test knows, from the server to a live collection.
@MainActor struct RecordTests {
    private nonisolated static func album(_ number: Int, of owner: String = "ann") -> Album {
        Album(id: "album \(number)/ä", owner: owner, year: Int64(1960 + number))
    }

    private nonisolated static func run(
        _ numbers: ClosedRange<Int>, _ body: @escaping @Sendable (ClientWorld, AlbumServer) async throws -> Void
    ) throws {
        try ClientWorld.run { world in
            let server = AlbumServer(world.transport)
            for number in numbers { server.put(album(number)) }
            try await body(world, server)
        }
    }

    private nonisolated static func collection(
        _ client: CausewayClient, _ direction: LiveDirection = .ascending, _ anchor: LiveAnchor<ListCursor> = .first,
        pageSize: Int = 20
    ) -> LiveCollection<Album> {
        onMain {
            client.liveCollection(
                RecordsQuery(Album.albums(of: "ann"), direction: direction, anchor: anchor, pageSize: pageSize))
        }
    }

    @Test func aListIsLocalThenLoadingThenFresh() throws {
        try Self.run(1...3) { world, server in
            var client = try await world.client(of: server)
            var albums = Followed(Self.collection(client).changes, world.runtime)
            await world.pass(.seconds(1))
            #expect(albums.last?.snapshot.map(\.year) == [1961, 1962, 1963])
            #expect(albums.last?.snapshot.map(\.version) == [1, 2, 3])
            #expect(albums.last?.dataStatus == .fresh)
            await client.close()

            server.state.withLock { $0.error = .unreachable(detail: "for a test") }
            let store = try world.store.crashedCopy()
            client = try await world.client(of: server, on: store)
            albums = Followed(Self.collection(client).changes, world.runtime)
            await world.pass(.seconds(1))
            #expect(albums.last?.snapshot.map(\.year) == [1961, 1962, 1963])
            #expect(albums.last?.dataStatus == .local && albums.last?.loadingStatus == .error)
            server.state.withLock { $0.error = nil }
            server.put(Self.album(4))
            await client.probeNow()
            try await world.until("the list is fresh") { albums.last?.dataStatus == .fresh }
            #expect(albums.last?.snapshot.map(\.year) == [1961, 1962, 1963, 1964])
            await client.close()
        }
    }

    @Test(arguments: [LiveDirection.ascending, .descending], [LiveAnchor<ListCursor>.first, .last])
    func pagesAreTurnedInBothDirections(_ direction: LiveDirection, _ anchor: LiveAnchor<ListCursor>) throws {
        try Self.run(1...25) { world, server in
            let client = try await world.client(of: server)
            let collection = Self.collection(client, direction, anchor, pageSize: 10)
            let albums = Followed(collection.changes, world.runtime)
            await world.pass(.seconds(1))
            // The displayed state, which the main actor would set, is not followed here: a reset admits every page.
            onMain { collection.resetPage() }
            await world.pass(.seconds(1))
            let all = (1961...1985).map(Int64.init)
            let ordered = direction == .ascending ? all : all.reversed()
            for count in [10, 20, 25] {
                let expected = anchor == .first ? Array(ordered.prefix(count)) : Array(ordered.suffix(count))
                #expect(albums.last?.snapshot.map(\.year) == expected)
                #expect((anchor == .first ? albums.last?.hasNext : albums.last?.hasPrevious) == (count < 25))
                onMain { anchor == .first ? collection.nextPage() : collection.previousPage() }
                await world.pass(.seconds(1))
            }
            #expect(server.state.withLock { $0.queries.map(\.limit) } == [10, 10, 10, 10])
            await client.close()
        }
    }

    @Test(arguments: [LiveDirection.ascending, .descending])
    func aJumpIntoTheMiddleLoadsBothSides(_ direction: LiveDirection) throws {
        try Self.run(1...30) { world, server in
            let client = try await world.client(of: server)
            let cursor = ListCursor(key: ListKey(1975), id: Self.album(15).id)
            let collection = Self.collection(client, direction, .at(cursor), pageSize: 4)
            let albums = Followed(collection.changes, world.runtime)
            await world.pass(.seconds(1))
            let down = direction == .descending
            let years: [Int64] = down ? [1975, 1974, 1973, 1972] : [1975, 1976, 1977, 1978]
            #expect(albums.last?.snapshot.map(\.year) == years)
            onMain {
                collection.resetPage()
                collection.previousPage()
            }
            await world.pass(.seconds(1))
            #expect(albums.last?.snapshot.first?.year == (down ? 1979 : 1971))
            #expect(albums.last?.snapshot.count == 8)
            await client.close()
        }
    }

    /// A page that does not list a removed record is under way when an earlier page brings the record: only another
    /// request can tell that it is gone.
    @Test func aPageThatContradictsAnotherIsRequestedAgain() throws {
        try Self.run(1...3) { world, server in
            let client = try await world.client(of: server)
            let delays = Mutex<[Duration]>([.seconds(2), .seconds(5)])
            server.state.withLock { [runtime = world.runtime] state in
                state.beforeResponse = {
                    let delay = delays.withLock { $0.isEmpty ? nil : $0.removeFirst() }
                    if let delay { await runtime.sleep(until: runtime.now + delay) }
                }
            }
            let early = Followed(Self.collection(client, pageSize: 10).changes, world.runtime)
            await world.pass(.seconds(1))
            server.remove(Self.album(2).id)
            let late = Followed(Self.collection(client).changes, world.runtime)
            await world.pass(.seconds(20))
            for list in [early, late] {
                #expect(list.last?.dataStatus == .fresh)
                #expect(list.last?.snapshot.map(\.year) == [1961, 1963])
            }
            // Pages that agree are not requested again.
            let asked = server.state.withLock { $0.queries.count }
            await world.pass(.seconds(60))
            #expect(server.state.withLock { $0.queries.count } == asked)
            await client.close()
        }
    }

    @Test func aRefreshShowsEveryChangeOfTheServer() throws {
        try Self.run(1...5) { world, server in
            let client = try await world.client(of: server)
            let albums = Followed(Self.collection(client).changes, world.runtime)
            let one = Followed(
                onMain { client.liveObject(RecordQuery<Album>(Self.album(2).id)) }.changes, world.runtime)
            await world.pass(.seconds(1))
            #expect(one.last?.snapshot.first?.year == 1962)
            server.remove(Self.album(2).id)
            var moved = Self.album(4)
            moved.owner = "grace"
            var renamed = Self.album(1)
            renamed.year = 1999
            server.put(moved, renamed, Self.album(6))
            // Another collection of the list asks again, once the first response is old.
            await world.pass(.seconds(31))
            let again = Followed(Self.collection(client).changes, world.runtime)
            await world.pass(.seconds(1))
            #expect(again.last?.dataStatus == .fresh)
            #expect(albums.last?.snapshot.map(\.year) == [1963, 1965, 1966, 1999])
            #expect(one.last?.snapshot.isEmpty == true && one.last?.dataStatus == .notExist)
            #expect(try await world.store.record(Album.kind, moved.id)?.version == nil)
            await client.close()
        }
    }

    /// A record that cannot be read is set aside: neither the page nor the stored list ends with it.
    @Test func anUnreadableRecordHidesNoOther() throws {
        try Self.run(1...5) { world, server in
            server.state.withLock { $0.malformed = [Self.album(2).id] }
            let client = try await world.client(of: server)
            let damaged = StoredRecord(
                kind: Album.kind, id: "damaged", version: 1, value: .init("{}".utf8),
                entries: [ListEntry("byOwner", scope: "ann", key: ListKey(1))])
            try await world.store.commit([.mergeRecords(RecordMerge([damaged]))])
            server.state.withLock { $0.error = .unreachable(detail: "for a test") }
            var albums = Followed(Self.collection(client, pageSize: 1).changes, world.runtime)
            await world.pass(.milliseconds(1))
            #expect(albums.last?.snapshot.isEmpty == true && albums.last?.dataStatus == .error)
            server.state.withLock { $0.error = nil }
            albums = Followed(Self.collection(client).changes, world.runtime)
            await world.pass(.seconds(1))
            #expect(albums.last?.snapshot.map(\.year) == [1961, 1963, 1964, 1965])
            #expect(albums.last?.dataStatus == .fresh)
            await client.close()
        }
    }

    /// A page that was requested before a record was read by itself does not remove it, and one that was requested
    /// before a record was found to be deleted does not restore it.
    @Test func anOlderPageUndoesNoLaterChange() throws {
        try Self.run(1...3) { world, server in
            let client = try await world.client(of: server)
            server.state.withLock { state in
                state.beforeResponse = {
                    // While the page is on its way.
                    server.state.withLock { $0.beforeResponse = nil }
                    server.put(Self.album(4))
                    server.remove(Self.album(1).id)
                    for number in [1, 4] {
                        let one = onMain { client.liveObject(RecordQuery<Album>(Self.album(number).id)) }
                        let states = Followed(one.changes, world.runtime)
                        await world.pass(.seconds(1))
                        #expect(states.last?.loadingStatus == .loaded)
                    }
                }
            }
            let albums = Followed(Self.collection(client).changes, world.runtime)
            await world.pass(.seconds(5))
            #expect(albums.last?.snapshot.map(\.year) == [1962, 1963, 1964])
            await client.close()
        }
    }

    /// While a page is on its way, another one shows that a record of it was deleted, which is stored already or not.
    @Test(arguments: [true, false])
    func anOlderPageRestoresNothingThatAnotherPageRemoved(isStored: Bool) throws {
        try Self.run(1...3) { world, server in
            let client = try await world.client(of: server)
            if isStored {
                let first = Followed(Self.collection(client, pageSize: 5).changes, world.runtime)
                await world.pass(.seconds(1))
                #expect(first.last?.snapshot.count == 3)
                first.task.cancel()
                await first.task.finished()
            }
            server.state.withLock { [runtime = world.runtime] state in
                state.beforeResponse = {
                    server.state.withLock { $0.beforeResponse = nil }
                    await runtime.sleep(until: runtime.now + .seconds(5))
                }
            }
            let late = Followed(Self.collection(client, pageSize: 10).changes, world.runtime)
            await world.pass(.seconds(1))
            server.remove(Self.album(2).id)
            let prompt = Followed(Self.collection(client).changes, world.runtime)
            await world.pass(.seconds(1))
            #expect(prompt.last?.snapshot.map(\.year) == [1961, 1963])
            prompt.forgetCounts()
            await world.pass(.seconds(10))
            for list in [late, prompt] {
                #expect(list.last?.dataStatus == .fresh)
                #expect(list.last?.snapshot.map(\.year) == [1961, 1963])
            }
            #expect(!prompt.counts.contains(3))
            // The pages agree now.
            let asked = server.state.withLock { $0.queries.count }
            await world.pass(.seconds(60))
            #expect(server.state.withLock { $0.queries.count } == asked)
            await client.close()
        }
    }

    /// One record was requested after its deletion, and an older page brings it before the response.
    @Test func aDeletionThatAPageContradictsIsRequestedAgain() throws {
        try Self.run(1...3) { world, server in
            let client = try await world.client(of: server)
            server.state.withLock { [runtime = world.runtime] state in
                state.beforeResponse = {
                    server.state.withLock { $0.beforeResponse = nil }
                    await runtime.sleep(until: runtime.now + .seconds(2))
                }
                state.beforeRecord = {
                    server.state.withLock { $0.beforeRecord = nil }
                    await runtime.sleep(until: runtime.now + .seconds(5))
                }
            }
            let list = Followed(Self.collection(client).changes, world.runtime)
            await world.pass(.seconds(1))
            server.remove(Self.album(2).id)
            let one = Followed(
                onMain { client.liveObject(RecordQuery<Album>(Self.album(2).id)) }.changes, world.runtime)
            await world.pass(.seconds(2))
            #expect(list.last?.snapshot.map(\.year) == [1961, 1962, 1963])
            await world.pass(.seconds(20))
            #expect(list.last?.snapshot.map(\.year) == [1961, 1963] && list.last?.dataStatus == .fresh)
            #expect(one.last?.snapshot.isEmpty == true && one.last?.dataStatus == .notExist)
            await client.close()
        }
    }

    /// A record that is added while its page and another one are on their way may be missing in one of them.
    @Test func aRecordThatIsNewerThanAnotherPageIsShown() throws {
        try Self.run(1...3) { world, server in
            let client = try await world.client(of: server)
            let delays = Mutex<[Duration]>([.seconds(2), .seconds(5)])
            server.state.withLock { [runtime = world.runtime] state in
                state.beforeResponse = {
                    let delay = delays.withLock { $0.isEmpty ? nil : $0.removeFirst() }
                    if let delay { await runtime.sleep(until: runtime.now + delay) }
                }
            }
            let early = Followed(Self.collection(client, pageSize: 10).changes, world.runtime)
            await world.pass(.seconds(1))
            server.put(Self.album(4))
            let late = Followed(Self.collection(client).changes, world.runtime)
            await world.pass(.seconds(20))
            for list in [early, late] {
                #expect(list.last?.dataStatus == .fresh)
                #expect(list.last?.snapshot.map(\.year) == [1961, 1962, 1963, 1964])
            }
            await client.close()
        }
    }

    /// While a first page is on its way, an event reports that a record of it was deleted, which is not stored yet.
    @Test func anOlderPageRestoresNothingThatAnEventRemoved() throws {
        try Self.run(1...3) { world, server in
            world.transport.server.withLock { $0.log = ScriptedLog() }
            let client = try await world.client(of: server)
            try await world.until("events are followed") { try await client.status().events == .upToDate }
            server.state.withLock { state in
                state.beforeResponse = {
                    server.state.withLock { $0.beforeResponse = nil }
                    server.remove(Self.album(2).id)
                    world.transport.server.withLock { [channel = world.general] hub in
                        hub.log?.append(.recordDeleted(Album.kind, Self.album(2).id), in: .channel(channel), version: 9)
                    }
                    await world.pass(.seconds(1))
                }
            }
            let albums = Followed(Self.collection(client).changes, world.runtime)
            await world.pass(.seconds(5))
            #expect(albums.last?.dataStatus == .fresh)
            #expect(albums.last?.snapshot.map(\.year) == [1961, 1963])
            await client.close()
        }
    }

    @Test func aServerWithoutTheKindLeavesTheListLocal() throws {
        try ClientWorld.run { world in
            let client = try await world.loggedIn()
            let albums = Followed(Self.collection(client).changes, world.runtime)
            await world.pass(.seconds(1))
            #expect(albums.last?.loadingStatus == .error)
            guard case .transport(.refused(code: "kindUnknown", _))? = albums.last?.error else {
                Issue.record("\(String(describing: albums.last?.error))")
                return
            }
            await client.close()
        }
    }

    /// The records of another account are not shown, and those of this one are there when it returns.
    @Test func anotherAccountSeesNothing() throws {
        try Self.run(1...3) { world, server in
            let client = try await world.client(of: server)
            let albums = Followed(Self.collection(client).changes, world.runtime)
            await world.pass(.seconds(1))
            #expect(albums.last?.snapshot.count == 3)
            try await client.logout()
            server.state.withLock { $0.error = .unreachable(detail: "for a test") }
            let grace = ServerInfo(user: try #require(UserID("grace")), server: "scripted")
            world.transport.server.withLock { $0.serverInfo = .success(grace) }
            try await world.login(client)
            await world.pass(.seconds(1))
            #expect(albums.last?.snapshot.isEmpty == true)
            await client.close()
        }
    }
}
