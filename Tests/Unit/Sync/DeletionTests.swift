import Causeway
import CausewayModels
import CausewayRecords
import CausewayRuntime
import CausewaySimulatedRuntime
import CausewayStorage
import CausewayTransport
import Foundation
import Synchronization
import Testing

/// The deletion matrix through the client: each state has its own correct result.
@Suite struct DeletionTests {
    @Test func aQueuedMessageNeverLeaves() throws {
        try ClientWorld.run { world in
            let client = try await world.loggedIn()
            try await client.pause()
            let first = try await client.messages.createTextMessage("1", in: world.general)
            let second = try await client.messages.createTextMessage("2", in: world.general)
            try await client.messages.softDeleteMessage(first.id, by: .cli)
            await #expect(throws: DeliveryError.deleted) { try await first.delivered() }
            try await client.resume()
            _ = try await second.delivered()
            #expect(world.transport.server.withLock { $0.order } == [second.id])
            let action = try #require(try await client.messages.deleteActions().first)
            #expect(action.message == first.id)
            #expect(action.by == .cli)
            #expect(action.syncState == .created)
        }
    }

    @Test func aMessageInFlightIsFollowedByADeletion() throws {
        try ClientWorld.run { world in
            let client = try await world.loggedIn()
            world.transport.server.withLock { $0.behaviours = [.delay(.seconds(10))] }
            let handle = try await client.messages.createTextMessage("1", in: world.general)
            try await world.until("it is syncing") {
                try await client.messages.storedMessage(handle.id)?.syncState == .syncing
            }
            try await client.messages.softDeleteMessage(handle.id)
            #expect(try await client.messages.storedMessage(handle.id) == nil)
            try await world.until("the deletion has arrived") {
                world.transport.server.withLock { $0.deletions == [handle.id] }
            }
            #expect(try await client.messages.storedMessage(handle.id) == nil)
        }
    }

    @Test func aMessageInDoubtIsFollowedByADeletionIfItArrived() throws {
        try ClientWorld.run { world in
            let client = try await world.loggedIn()
            world.transport.server.withLock { $0.behaviours = [.loseAnswer] }
            let handle = try await client.messages.createTextMessage("1", in: world.general)
            try await world.until("the answer is lost") {
                try await client.messages.storedMessage(handle.id)?.syncState == .created
                    && world.transport.server.withLock { !$0.order.isEmpty }
            }
            try await client.messages.softDeleteMessage(handle.id)
            try await world.until("the deletion has arrived") {
                world.transport.server.withLock { $0.deletions == [handle.id] }
            }
        }
    }

    @Test func aSyncedMessageIsDeletedOnTheServer() throws {
        try ClientWorld.run { world in
            let client = try await world.loggedIn()
            let handle = try await client.messages.createTextMessage("1", in: world.general)
            _ = try await handle.delivered()
            try await client.messages.softDeleteMessage(handle.id)
            try await world.until("the deletion has arrived") {
                world.transport.server.withLock { $0.deletions == [handle.id] }
            }
            let next = try await client.messages.createTextMessage("2", in: world.general)
            _ = try await next.delivered()
        }
    }

    @Test func failedMessagesAreDeletedTogetherAndRecorded() throws {
        try ClientWorld.run { world in
            let client = try await world.loggedIn()
            let refusal = TransportError.refused(code: "no", detail: "no such channel")
            world.transport.server.withLock { $0.always = .fail(refusal) }
            for number in 1...5 { _ = try await client.messages.createTextMessage("\(number)", in: world.general) }
            try await world.until("all have failed") { try await client.status().counts.error == 5 }
            #expect(try await client.messages.deleteFailedMessages(by: .statusPage) == 5)
            #expect(try await client.messages.failedMessages().messages.isEmpty)
            let actions = try await client.messages.deleteActions()
            #expect(actions.count == 5)
            #expect(actions.allSatisfy { $0.lastFailure?.detail == "no such channel" && $0.by == .statusPage })
        }
    }

    /// Failed messages of other channels, and failed edits, stay.
    @Test func failedMessagesOfOneChannelAreDeleted() throws {
        try ClientWorld.run { world in
            let client = try await world.loggedIn()
            let other = try #require(ChannelID("other"))
            let sent = try await client.messages.createTextMessage("sent", in: world.general)
            try await sent.delivered()
            world.transport.server.withLock { $0.always = .fail(.refused(code: "no", detail: "not allowed")) }
            try await client.messages.editTextMessage(sent.id, to: "edited")
            let failed = try await client.messages.createTextMessage("1", in: world.general)
            let elsewhere = try await client.messages.createTextMessage("2", in: other)
            try await world.until("all have failed") { try await client.status().counts.error == 3 }
            #expect(try await client.messages.deleteFailedMessages(in: world.general) == 1)
            #expect(try await client.messages.storedMessage(failed.id) == nil)
            #expect(try await client.messages.failedMessages().messages.map(\.id) == [elsewhere.id])
            #expect(try await client.status().counts.failedChanges == 1)
            #expect(try await client.messages.deleteFailedMessages() == 1)
            #expect(try await client.messages.failedMessages().messages.isEmpty)
            #expect(try await client.status().counts.failedChanges == 1)
            #expect(try await client.messages.storedMessage(sent.id)?.syncState == .synced)
            #expect(try await client.messages.deleteFailedOperations(in: other) == 0)
            #expect(try await client.messages.deleteFailedOperations(in: world.general) == 1)
            #expect(try await client.status().counts.error == 0)
            await client.close()
        }
    }

    /// The list of past deletions tells messages, edits and reactions apart, and names the messages that they concern.
    @Test func deletedEditsAndReactionsAreRecordedAsSuch() throws {
        try ClientWorld.run { world in
            let client = try await world.loggedIn()
            let repository = client.messages
            let listed = Followed(client.liveChanges(of: DeleteActionsQuery()), world.runtime)
            let sent = try await repository.createTextMessage("sent", in: world.general)
            try await sent.delivered()
            try await repository.addReaction("like", to: sent.id)
            try await world.until("it is liked") { try await client.status().lanes.isEmpty }
            world.transport.server.withLock { $0.always = .fail(.refused(code: "no", detail: "not allowed")) }
            try await repository.editTextMessage(sent.id, to: "edited")
            try await repository.addReaction("wave", to: sent.id)
            try await repository.removeReaction("like", from: sent.id)
            let reply = try await repository.createTextMessage("reply", in: world.general, parent: sent.id)
            try await world.until("all have failed") { try await client.status().counts.error == 4 }
            let failed = try await repository.failedOperations().operations
            #expect(try await repository.deleteFailedOperations(by: .cli) == 4)
            let actions = try await repository.deleteActions()
            let expected: [(OperationID, DeleteAction.Kind, MessageID?)] = failed.map { operation in
                switch operation.payload {
                case .create: (operation.id, .message, nil)
                case .edit: (operation.id, .edit, sent.id)
                case .addReaction: (operation.id, .addReaction, sent.id)
                case .removeReaction: (operation.id, .removeReaction, sent.id)
                }
            }
            #expect(Set(expected.map(\.1)) == Set(DeleteAction.Kind.allCases))
            for (id, kind, target) in expected {
                let action = try #require(actions.first { $0.message == id })
                #expect(action.kind == kind && action.target == target && action.by == .cli, "\(kind)")
                #expect((kind == .message) == (id == reply.id))
                #expect(action.lastFailure?.detail == "not allowed")
            }
            try await world.until("a list shows them") { listed.last?.snapshot.count == actions.count }
            #expect(listed.last?.snapshot.map(\.kind) == actions.map(\.kind))
            #expect(listed.last?.snapshot.map(\.target) == actions.map(\.target))
            await client.close()
        }
    }

    @Test func aMessageThatIsNotThereIsSaidSo() throws {
        try ClientWorld.run { world in
            let client = try await world.loggedIn()
            let id = MessageID(world.runtime.makeUUIDv7())
            await #expect(throws: ClientError.messageNotFound(id)) {
                try await client.messages.softDeleteMessage(id)
            }
            await #expect(throws: ClientError.messageNotFound(id)) { try await client.messages.resend(id) }
        }
    }

    @Test func whatWasDeletedDoesNotComeBackWithAPage() throws {
        try ClientWorld.run { world in
            let client = try await world.loggedIn()
            let handle = try await client.messages.createTextMessage("1", in: world.general)
            let serverPosition = try await handle.delivered()
            try await client.messages.softDeleteMessage(handle.id)
            world.transport.server.withLock {
                $0.page = [
                    RemoteMessage(
                        id: handle.id, channel: world.general, sender: handle.message.sender, content: .text("1"),
                        createdAt: handle.message.createdAt, serverPosition: serverPosition)
                ]
            }
            try await client.messages.refreshMessages(in: world.general)
            #expect(try await world.texts(client).isEmpty)
        }
    }

    @Test func aPageFromTheServerProvesADelivery() throws {
        try ClientWorld.run { world in
            let client = try await world.loggedIn()
            world.transport.server.withLock { $0.always = .fail(.inDoubt(detail: "cut off")) }
            let handle = try await client.messages.createTextMessage("1", in: world.general)
            try await world.until("it was tried") { world.transport.server.withLock { !$0.deliveries.isEmpty } }
            world.transport.server.withLock {
                $0.page = [
                    RemoteMessage(
                        id: handle.id, channel: world.general, sender: handle.message.sender, content: .text("1"),
                        createdAt: handle.message.createdAt,
                        serverPosition: ServerPosition(position: 7, acceptedAt: Timestamp(milliseconds: 5)))
                ]
            }
            try await client.messages.refreshMessages(in: world.general)
            #expect(try await handle.delivered().position == 7)
            #expect(try await world.texts(client) == ["1"])
        }
    }

    /// Stores a message that a page brought.
    private static func receive(
        from sender: UserID, _ client: CausewayClient, _ world: ClientWorld
    ) async throws -> MessageID {
        let id = MessageID(UUIDv7(high: 7, low: 7))
        world.transport.server.withLock {
            $0.page = [
                RemoteMessage(
                    id: id, channel: world.general, sender: sender, content: .text("1"),
                    createdAt: Timestamp(milliseconds: 4),
                    serverPosition: ServerPosition(position: 7, acceptedAt: Timestamp(milliseconds: 5)))
            ]
        }
        try await client.messages.refreshMessages(in: world.general)
        return id
    }

    /// An own message is deleted for everyone, whichever device it came from.
    @Test func anOwnMessageFromAnotherDeviceIsDeletedOnTheServer() throws {
        try ClientWorld.run { world in
            let client = try await world.loggedIn()
            let id = try await Self.receive(from: try #require(UserID("ann")), client, world)
            try await client.messages.softDeleteMessage(id)
            try await world.until("nothing is left to be said") { try await client.status().lanes.isEmpty }
            #expect(world.transport.server.withLock { $0.deletions } == [id])
            #expect(try await client.messages.storedMessage(id) == nil)
        }
    }

    @Test func aDeletionThatWasRequestedWhileLoggedOutReachesTheServer() throws {
        try ClientWorld.run { world in
            let client = try await world.loggedIn()
            let handle = try await client.messages.createTextMessage("2", in: world.general)
            try await handle.delivered()
            let id = try await Self.receive(from: try #require(UserID("ann")), client, world)
            try await client.logout()
            try await client.messages.softDeleteMessage(id)
            try await client.messages.softDeleteMessage(handle.id)
            #expect(try await client.messages.storedMessage(id) == nil)
            await world.pass(.seconds(60))
            #expect(world.transport.server.withLock { $0.deletions } == [])
            try await world.login(client)
            try await world.until("both are deleted there") {
                Set(world.transport.server.withLock { $0.deletions }) == [id, handle.id]
            }
            try await client.messages.refreshMessages(in: world.general)
            #expect(try await client.messages.storedMessage(id) == nil)
        }
    }

    /// Nor does a restart in between lose it, before or after the request.
    @Test(arguments: [false, true])
    func aDeletionThatWasRequestedWhileLoggedOutOutlivesTheProcess(_ isRequestedAfterwards: Bool) throws {
        try ClientWorld.run { world in
            let client = try await world.loggedIn()
            let id = try await Self.receive(from: try #require(UserID("ann")), client, world)
            let foreign = MessageID(UUIDv7(high: 7, low: 8))
            var placed = try #require(world.transport.server.withLock { $0.page.first })
            placed = RemoteMessage(
                id: foreign, channel: world.general, sender: try #require(UserID("bob")), content: .text("2"),
                createdAt: placed.createdAt,
                serverPosition: ServerPosition(position: 8, acceptedAt: Timestamp(milliseconds: 6)))
            try await world.store.commit([.merge(placed, at: world.runtime.wallClock)])
            try await client.logout()
            if !isRequestedAfterwards { try await client.messages.softDeleteMessage(id) }
            await client.close()
            let next = try await world.open(on: world.store.crashedCopy())
            if isRequestedAfterwards { try await next.messages.softDeleteMessage(id) }
            await #expect(throws: ClientError.notAuthor(foreign)) {
                try await next.messages.softDeleteMessage(foreign)
            }
            #expect(try await next.messages.storedMessage(id) == nil)
            await world.pass(.seconds(60))
            #expect(world.transport.server.withLock { $0.deletions } == [])
            try await world.login(next)
            try await world.until("it is deleted there") { world.transport.server.withLock { $0.deletions } == [id] }
            #expect(try await next.messages.storedMessage(foreign) != nil)
            await next.close()
        }
    }

    private static func storeRole(_ role: ChannelRole, _ world: ClientWorld) async throws {
        var member = ChannelMember(
            channel: world.general, user: try #require(UserID("ann")), role: role,
            joinedAt: Timestamp(milliseconds: 3))
        member.version = 1
        let value = try JSONEncoder().encode(member)
        try await world.store.commit([.mergeRecords(RecordMerge([member.stored(value: value)]))])
    }

    /// Whether or not a user is logged in. The server is not asked for a role that is stored.
    @Test(arguments: [(ChannelRole.owner, true), (.moderator, true), (.moderator, false)])
    func aModeratorDeletesTheMessagesOfOthers(role: ChannelRole, isLoggedIn: Bool) throws {
        try ClientWorld.run { world in
            let client = try await world.loggedIn()
            let id = try await Self.receive(from: try #require(UserID("bob")), client, world)
            try await Self.storeRole(role, world)
            if !isLoggedIn { try await client.logout() }
            try await client.messages.softDeleteMessage(id)
            #expect(try await client.messages.storedMessage(id) == nil)
            #expect(try await client.messages.deleteActions().map(\.message) == [id])
            if !isLoggedIn { try await world.login(client) }
            try await world.until("it is deleted there") { world.transport.server.withLock { $0.deletions } == [id] }
            try await client.messages.refreshMessages(in: world.general)
            #expect(try await client.messages.storedMessage(id) == nil)
        }
    }

    @Test func aMemberDoesNotDeleteTheMessagesOfOthers() throws {
        try ClientWorld.run { world in
            let client = try await world.loggedIn()
            let id = try await Self.receive(from: try #require(UserID("bob")), client, world)
            try await Self.storeRole(.member, world)
            await #expect(throws: ClientError.notAuthor(id)) { try await client.messages.softDeleteMessage(id) }
            #expect(try await client.messages.storedMessage(id) != nil)
        }
    }

    /// Whether or not a user is logged in: nothing is removed, and nothing is sent.
    @Test(arguments: [true, false]) func anotherUsersMessageIsNotDeleted(isLoggedIn: Bool) throws {
        try ClientWorld.run { world in
            let client = try await world.loggedIn()
            let id = try await Self.receive(from: try #require(UserID("bob")), client, world)
            let own = try await client.messages.createTextMessage("2", in: world.general)
            try await own.delivered()
            if !isLoggedIn { try await client.logout() }
            await #expect(throws: ClientError.notAuthor(id)) { try await client.messages.softDeleteMessage(id) }
            await #expect(throws: ClientError.notAuthor(id)) {
                try await client.messages.softDeleteMessages([own.id, id])
            }
            #expect(try await client.messages.storedMessage(id) != nil)
            #expect(try await client.messages.storedMessage(own.id) != nil)
            #expect(try await client.messages.deleteActions().isEmpty)
            if !isLoggedIn { try await world.login(client) }
            try await world.until("nothing is left to be said") { try await client.status().lanes.isEmpty }
            #expect(world.transport.server.withLock { $0.deletions } == [])
        }
    }
}
