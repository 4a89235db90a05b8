import Causeway
import CausewayModels
import CausewayRuntime
import CausewaySimulatedRuntime
import CausewayStorage
import CausewayTransport
import Synchronization
import Testing

/// Live collections and objects of messages that were deleted on the server, as its pages show. On the main thread, so
/// that a test may create objects of the main actor.
@MainActor struct ServerDeletionTests {
    @Test(arguments: [[3], [1], [5], [1, 2, 3, 4, 5]])
    func aMessageThatWasDeletedOnTheServerLeavesTheList(_ deleted: [Int]) throws {
        try ClientWorld.run { world in
            _ = try RemoteMessages.server(5, world)
            let client = try await world.loggedIn()
            let first = Followed(onMain { client.messages.getMessages(in: world.general).changes }, world.runtime)
            await world.pass(.seconds(1))
            #expect(first.last?.snapshot.count == 5)
            world.transport.server.withLock { server in
                server.page.removeAll { deleted.contains(Int($0.serverPosition.position)) }
            }
            await world.pass(.seconds(60))
            let second = Followed(onMain { client.messages.getMessages(in: world.general).changes }, world.runtime)
            await world.pass(.seconds(1))
            let left = (1...5).filter { !deleted.contains($0) }.map(Int64.init)
            for list in [first, second] {
                #expect(list.last?.snapshot.compactMap(\.serverPosition?.position) == left)
                #expect(list.last?.dataStatus == .fresh)
            }
            await client.close()
        }
    }

    /// More stored messages were deleted than are compared with a page at a time.
    @Test func aPageOfFewReconcilesManyStoredMessages() throws {
        try ClientWorld.run { world in
            let messages = try RemoteMessages.server(1000, world)
            let client = try await world.loggedIn()
            try await world.store.commit(messages.map { .merge($0, at: world.runtime.wallClock) })
            world.transport.server.withLock { server in server.page.removeAll { (10..<990).contains($0.number) } }
            let list = Followed(onMain { client.messages.getMessages(in: world.general).changes }, world.runtime)
            await world.pass(.seconds(1))
            #expect(list.last?.dataStatus == .fresh)
            let stored = try await world.store.page(
                MessageQuery(scope: .channel(world.general), direction: .ascending, limit: 100))
            #expect(stored.messages.compactMap(\.serverPosition?.position) == Array(1...9) + Array(990...1000))
            await client.close()
        }
    }

    @Test func theObjectOfADeletedMessageDoesNotExist() throws {
        try ClientWorld.run { world in
            let messages = try RemoteMessages.server(3, world)
            let client = try await world.loggedIn()
            try await world.store.commit(messages.map { .merge($0, at: world.runtime.wallClock) })
            for reportsRange in [true, false] {
                let gone = messages[reportsRange ? 1 : 0]
                world.transport.server.withLock { server in
                    server.page = [messages[2]]
                    if !reportsRange { server.newest = nil }
                }
                let message = Followed(onMain { client.messages.getMessage(gone.id).changes }, world.runtime)
                await world.pass(.seconds(1))
                #expect(message.last?.dataStatus == .notExist && message.last?.loadingStatus == .loaded)
                #expect(message.last?.snapshot.isEmpty == true)
            }
            await client.close()
        }
    }

    /// A page that was read before the deletion arrives after the one that showed it; also of a message that was not
    /// stored yet, which lists then request again.
    @Test(arguments: [true, false])
    func aLatePageBringsNoDeletedMessageBack(isStored: Bool) throws {
        try ClientWorld.run { world in
            let messages = try RemoteMessages.server(3, world)
            let client = try await world.loggedIn()
            if isStored { try await world.store.commit(messages.map { .merge($0, at: world.runtime.wallClock) }) }
            world.transport.server.withLock { $0.pageDelays = [.seconds(5)] }
            let late = Followed(
                onMain { client.messages.getMessages(in: world.general, pageSize: 10).changes }, world.runtime)
            await world.pass(.seconds(1))
            world.transport.server.withLock { server in server.page.removeAll { $0.number == 2 } }
            let prompt = Followed(onMain { client.messages.getMessages(in: world.general).changes }, world.runtime)
            await world.pass(.seconds(1))
            #expect(prompt.last?.snapshot.compactMap(\.serverPosition?.position) == [1, 3])
            await world.pass(.seconds(5))
            for list in [late, prompt] {
                #expect(list.last?.dataStatus == .fresh)
                #expect(list.last?.snapshot.compactMap(\.serverPosition?.position) == [1, 3])
            }
            let asked = Self.requests(world)
            #expect(isStored ? asked == 2 : asked > 2)
            await world.pass(.seconds(60))
            #expect(Self.requests(world) == asked)
            await client.close()
        }
    }

    /// One message is requested while a page shows that it was deleted.
    @Test func aLateMessageIsNotBroughtBack() throws {
        try ClientWorld.run { world in
            let messages = try RemoteMessages.server(3, world)
            let client = try await world.loggedIn()
            world.transport.server.withLock { $0.pageDelays = [.seconds(5)] }
            let late = Followed(onMain { client.messages.getMessage(messages[1].id).changes }, world.runtime)
            await world.pass(.seconds(1))
            world.transport.server.withLock { server in server.page.removeAll { $0.number == 2 } }
            let list = Followed(onMain { client.messages.getMessages(in: world.general).changes }, world.runtime)
            await world.pass(.seconds(20))
            #expect(list.last?.dataStatus == .fresh)
            #expect(list.last?.snapshot.compactMap(\.serverPosition?.position) == [1, 3])
            #expect(late.last?.snapshot.isEmpty == true && late.last?.dataStatus == .notExist)
            #expect(try await world.store.message(messages[1].id) == nil)
            await client.close()
        }
    }

    /// A page that does not list a deleted message is under way when an earlier page brings the message: only another
    /// request can tell that it is gone. A request for changes cannot: it was deleted before they begin.
    @Test(arguments: [false, true])
    func aPageThatContradictsAnotherIsRequestedAgain(reportsChanges: Bool) throws {
        try ClientWorld.run { world in
            let messages = try RemoteMessages.server(3, world)
            world.transport.server.withLock { $0.revisions = reportsChanges ? [:] : nil }
            let client = try await world.loggedIn()
            world.transport.server.withLock { $0.pageDelays = [.seconds(2), .seconds(5)] }
            let early = Followed(
                onMain { client.messages.getMessages(in: world.general, pageSize: 10).changes }, world.runtime)
            await world.pass(.seconds(1))
            world.transport.server.withLock { $0.remove(messages[1].id) }
            let late = Followed(onMain { client.messages.getMessages(in: world.general).changes }, world.runtime)
            await world.pass(.seconds(2))
            // The changes that this list could request begin before the deletion.
            if reportsChanges { early.task.cancel() }
            await world.pass(.seconds(18))
            for list in reportsChanges ? [late] : [early, late] {
                #expect(list.last?.dataStatus == .fresh)
                #expect(list.last?.snapshot.compactMap(\.serverPosition?.position) == [1, 3])
            }
            // Pages that agree are not requested again.
            let asked = Self.requests(world)
            await world.pass(.seconds(60))
            #expect(Self.requests(world) == asked)
            await client.close()
        }
    }

    private nonisolated static func requests(_ world: ClientWorld) -> Int {
        world.transport.server.withLock { $0.pageQueries.count + $0.changeQueries.count }
    }

    /// A message that is accepted while a page is read is outside of the page's range.
    @Test func aPageTakesNothingAwayThatWasAcceptedAfterIt() throws {
        try ClientWorld.run { world in
            world.transport.server.withLock { server in
                server.newest = 0
                server.pageDelays = [.seconds(5)]
            }
            let client = try await world.loggedIn()
            let list = Followed(onMain { client.messages.getMessages(in: world.general).changes }, world.runtime)
            await world.pass(.seconds(1))
            let handle = try await client.messages.createTextMessage("hi", in: world.general)
            _ = try await handle.delivered()
            await world.pass(.seconds(10))
            #expect(list.last?.snapshot.map(\.id) == [handle.id])
            await client.close()
        }
    }
}
