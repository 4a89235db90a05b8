import Causeway
import CausewayHubRules
import CausewayModels
import CausewayRuntime
import CausewaySimulatedHub
import CausewaySimulatedRuntime
import CausewayStorage
import CausewayTransport
import Synchronization
import Testing

/// Edits, reactions and replies on a message that may be anywhere, through the client.
@Suite struct OperationTests {
    // MARK: - Edits

    @Test func anEditOfAQueuedMessageChangesTheMessageItself() throws {
        try ClientWorld.run { world in
            let client = try await world.loggedIn()
            try await client.pause()
            let handle = try await client.messages.createTextMessage("one", in: world.general)
            try await client.messages.editTextMessage(handle.id, to: "two")
            try await client.messages.editTextMessage(handle.id, to: "three")
            #expect(try await world.texts(client) == ["three"])
            #expect(try await client.messages.dependants(of: handle.id).isEmpty)
            try await client.resume()
            _ = try await handle.delivered()
            #expect(world.order == [handle.id])
            #expect(world.text(handle.id) == "three")
        }
    }

    @Test func anEditOfAMessageInFlightFollowsItAndTheLastOneWins() throws {
        try ClientWorld.run { world in
            let client = try await world.loggedIn()
            let handle = try await world.inFlight("one", client, for: .seconds(10))
            try await client.messages.editTextMessage(handle.id, to: "two")
            try await client.messages.editTextMessage(handle.id, to: "three")
            #expect(try await world.texts(client) == ["three"])
            #expect(try await client.messages.dependants(of: handle.id).map(\.content) == [.text("three")])
            try await world.settled(client)
            #expect(world.text(handle.id) == "three")
            #expect(world.applied(to: handle.id) == 1)
            #expect(try await world.texts(client) == ["three"])
        }
    }

    @Test func anEditInDoubtIsNeverAppliedTwiceAndALaterOneFollowsIt() throws {
        try ClientWorld.run { world in
            let client = try await world.loggedIn()
            let handle = try await client.messages.createTextMessage("one", in: world.general)
            _ = try await handle.delivered()
            world.script([.loseAnswer, .loseAnswer])
            try await client.messages.editTextMessage(handle.id, to: "two")
            try await world.until("the edit has arrived") { world.applied(to: handle.id) == 1 }
            try await client.messages.editTextMessage(handle.id, to: "three")
            try await world.settled(client)
            #expect(world.text(handle.id) == "three")
            #expect(world.applied(to: handle.id) == 2)
            #expect(try await world.texts(client) == ["three"])
        }
    }

    @Test func anEditOfAFailedMessageGoesWithItsResend() throws {
        try ClientWorld.run { world in
            let client = try await world.loggedIn()
            try await client.pause()
            let handle = try await client.messages.createTextMessage("one", in: world.general)
            world.transport.server.withLock { $0.refused = [handle.id] }
            try await client.resume()
            await #expect(throws: DeliveryError.self) { try await handle.delivered() }
            try await client.messages.editTextMessage(handle.id, to: "two")
            world.transport.server.withLock { $0.refused = [] }
            try await client.messages.resend(handle.id)
            try await world.settled(client)
            #expect(world.text(handle.id) == "two")
            #expect(world.applied(to: handle.id) == 0)
        }
    }

    /// The first edit is under way when the second one is made, and fails; the second one is delivered.
    @Test func aFailedEditNeverComesBackOverALaterOne() throws {
        try ClientWorld.run { world in
            let client = try await world.loggedIn()
            let handle = try await client.messages.createTextMessage("one", in: world.general)
            _ = try await handle.delivered()
            world.script([.delay(.seconds(10))])
            try await client.messages.editTextMessage(handle.id, to: "two")
            let first = try #require(try await client.messages.dependants(of: handle.id).first)
            world.transport.server.withLock { $0.refused = [first.id] }
            await world.pass(.seconds(1))
            try await client.messages.editTextMessage(handle.id, to: "three")
            try await world.settled(client)
            #expect(world.text(handle.id) == "three")
            world.transport.server.withLock { $0.refused = [] }
            _ = try await client.messages.resendFailedMessages()
            try await world.settled(client)
            #expect(world.text(handle.id) == "three")
            #expect(try await world.texts(client) == ["three"])
            #expect(try await client.messages.failedOperations().operations.isEmpty, "it has ended")
        }
    }

    @Test func anEditThatWaitsForAFailedMessageNamesTheCure() throws {
        try ClientWorld.run { world in
            let client = try await world.loggedIn()
            let handle = try await world.inFlight("one", client, for: .seconds(10))
            world.transport.server.withLock { $0.refused = [handle.id] }
            try await client.messages.editTextMessage(handle.id, to: "two")
            let edit = try #require(try await client.messages.dependants(of: handle.id).first)
            #expect(await client.messages.waitReasons(for: [edit]) == [edit.id: .parked(handle.id)])
            await #expect(throws: DeliveryError.self) { try await handle.delivered() }
            let reason = try #require(await client.messages.waitReasons(for: [edit])[edit.id])
            #expect(reason == .blocked(by: handle.id))
            #expect(reason.description.contains("resend or delete"))
        }
    }

    /// Also what waits for something that waits says what is to be done.
    @Test func whatWaitsBehindSeveralNamesTheFailedOne() throws {
        try ClientWorld.run { world in
            let client = try await world.loggedIn()
            let handle = try await world.inFlight("one", client, for: .seconds(10))
            world.transport.server.withLock { $0.refused = [handle.id] }
            await #expect(throws: DeliveryError.self) { try await handle.delivered() }
            let reply = try await client.messages.createTextMessage("two", in: world.general, parent: handle.id)
            try await client.messages.addReaction("wave", to: reply.id)
            let reaction = try #require(try await client.messages.dependants(of: reply.id).first)
            #expect(await client.messages.waitReasons(for: [reaction]) == [reaction.id: .blocked(by: handle.id)])
        }
    }

    @Test func aRefusedEditIsShownNoLongerAndStandsAmongTheFailed() throws {
        try ClientWorld.run { world in
            let client = try await world.loggedIn()
            let handle = try await client.messages.createTextMessage("one", in: world.general)
            _ = try await handle.delivered()
            try await client.pause()
            try await client.messages.editTextMessage(handle.id, to: "two")
            let edit = try #require(try await client.messages.dependants(of: handle.id).first)
            world.transport.server.withLock { $0.refused = [edit.id] }
            try await client.resume()
            try await world.until("the edit failed") {
                try await client.messages.storedOperation(edit.id)?.syncState == .error
            }
            #expect(try await world.texts(client) == ["one"])
            #expect(
                try await client.messages.failedOperations().operations.map(\.payload) == [
                    .edit(handle.id, .text("two"))
                ])
            #expect(try await client.messages.failedMessages().messages.isEmpty)
            // Another edit replaces it.
            try await client.messages.editTextMessage(handle.id, to: "three")
            try await world.settled(client)
            #expect(try await client.messages.failedOperations().operations.isEmpty)
            #expect(try await world.texts(client) == ["three"])
        }
    }

    @Test func onlyOnesOwnMessagesOfTheSameTypeCanBeEdited() throws {
        try ClientWorld.run { world in
            let client = try await world.loggedIn()
            let handle = try await client.messages.createTextMessage("one", in: world.general)
            await #expect(throws: ClientError.typeDiffers(handle.id, .text, .custom)) {
                try await client.messages.editCustomMessage(handle.id, to: .object([:]))
            }
            await #expect(throws: ClientError.content(.textEmpty)) {
                try await client.messages.editTextMessage(handle.id, to: "")
            }
            let foreign = MessageID(UUIDv7(high: 7, low: 7))
            await #expect(throws: ClientError.messageNotFound(foreign)) {
                try await client.messages.addReaction("wave", to: foreign)
            }
            await #expect(throws: ClientError.content(.reactionInvalid)) {
                try await client.messages.addReaction("a\nb", to: handle.id)
            }
        }
    }

    // MARK: - Reactions

    @Test func oppositeReactionsCancelEachOther() throws {
        try ClientWorld.run { world in
            let client = try await world.loggedIn()
            let handle = try await client.messages.createTextMessage("one", in: world.general)
            _ = try await handle.delivered()
            try await client.pause()
            try await client.messages.addReaction("wave", to: handle.id)
            try await client.messages.addReaction("wave", to: handle.id)
            #expect(try await client.messages.storedMessage(handle.id)?.reactions == ["wave": 1])
            try await client.messages.removeReaction("wave", from: handle.id)
            #expect(try await client.messages.storedMessage(handle.id)?.reactions == [:])
            #expect(try await client.messages.dependants(of: handle.id).isEmpty)
            try await client.resume()
            try await world.settled(client)
            #expect(world.applied(to: handle.id) == 0)
        }
    }

    @Test func aReactionToAFailedMessageWaitsForItAndSurvivesARestart() throws {
        try ClientWorld.run { world in
            let client = try await world.loggedIn()
            try await client.pause()
            let handle = try await client.messages.createTextMessage("one", in: world.general)
            world.transport.server.withLock { $0.refused = [handle.id] }
            try await client.resume()
            await #expect(throws: DeliveryError.self) { try await handle.delivered() }
            try await client.messages.addReaction("wave", to: handle.id)
            let reaction = try #require(try await client.messages.dependants(of: handle.id).first)
            let waiting = try await client.messages.outbox().items.first {
                $0.operation.id == reaction.id
            }
            #expect(waiting?.wait == .blocked(by: handle.id))

            await client.close()
            let again = try await world.open(on: world.store.crashedCopy())
            #expect(try await again.messages.storedMessage(handle.id)?.myReactions == ["wave"])
            world.transport.server.withLock { $0.refused = [] }
            try await again.messages.resend(handle.id)
            try await world.settled(again)
            #expect(world.order == [handle.id, reaction.id])
            #expect(world.transport.server.withLock { $0.hub.accepted[handle.id]?.reactions } == ["wave"])
            #expect(try await again.messages.storedMessage(handle.id)?.reactions == ["wave": 1])
            #expect(try await again.messages.storedOperation(reaction.id) == nil)
        }
    }

    @Test func anOperationThatIsTriedAgainHoldsUpNoMessage() throws {
        try ClientWorld.run { world in
            let client = try await world.loggedIn()
            let first = try await client.messages.createTextMessage("one", in: world.general)
            _ = try await first.delivered()
            world.script([.fail(.transient(code: "503", detail: "busy"))])
            try await client.messages.addReaction("wave", to: first.id)
            try await world.until("the reaction was tried") {
                world.transport.server.withLock { $0.behaviours.isEmpty }
            }
            let second = try await client.messages.createTextMessage("two", in: world.general)
            _ = try await second.delivered()
            #expect(world.order == [first.id, second.id])
            try await world.settled(client)
            #expect(world.applied(to: first.id) == 1)
        }
    }

    @Test func deletionWinsOverEverything() throws {
        try ClientWorld.run { world in
            let client = try await world.loggedIn()
            let handle = try await world.inFlight("one", client, for: .seconds(10))
            try await client.messages.editTextMessage(handle.id, to: "two")
            try await client.messages.addReaction("wave", to: handle.id)
            try await client.messages.softDeleteMessage(handle.id)
            #expect(try await client.messages.outbox().items.isEmpty)
            try await world.settled(client)
            #expect(world.transport.server.withLock { $0.hub.holds(handle.id) } == false)
            #expect(world.applied(to: handle.id) == 0)
            #expect(try await client.messages.failedMessages().messages.isEmpty)
        }
    }

    @Test func anOlderPageTakesNoReactionBack() throws {
        try ClientWorld.run { world in
            let client = try await world.loggedIn()
            let handle = try await client.messages.createTextMessage("one", in: world.general)
            let serverPosition = try await handle.delivered()
            try await client.messages.addReaction("wave", to: handle.id)
            try await world.settled(client)
            world.transport.server.withLock {
                $0.page = [
                    RemoteMessage(
                        id: handle.id, channel: world.general, sender: handle.message.sender, content: .text("one"),
                        createdAt: handle.message.createdAt, serverPosition: serverPosition)
                ]
            }
            try await client.messages.refreshMessages(in: world.general)
            #expect(try await client.messages.storedMessage(handle.id)?.myReactions == ["wave"])
            // A later one does: another device removed it.
            world.transport.server.withLock { server in
                let changedAt = server.hub.accepted[handle.id]?.changedAt?.advanced(by: .seconds(1))
                server.page[0].body.changedAt = changedAt
            }
            try await client.messages.refreshMessages(in: world.general)
            #expect(try await client.messages.storedMessage(handle.id)?.myReactions == [])
        }
    }

    // MARK: - Replies

    /// Another copy of this store sent it: without a slot in a lane nothing else reports its delivery.
    @Test func aParkedReplyThatAPageBringsIsDelivered() throws {
        try ClientWorld.run { world in
            let client = try await world.loggedIn()
            let parent = try await client.messages.createTextMessage("one", in: world.general)
            world.transport.server.withLock { $0.refused = [parent.id] }
            await #expect(throws: DeliveryError.self) { try await parent.delivered() }
            let reply = try await client.messages.createTextMessage("re", in: world.general, parent: parent.id)
            let serverPosition = ServerPosition(position: 7, acceptedAt: Timestamp(milliseconds: 7))
            world.transport.server.withLock {
                $0.page = [
                    RemoteMessage(
                        id: reply.id, channel: world.general, sender: reply.message.sender, parent: parent.id,
                        body: MessageBody(content: .text("re")), createdAt: reply.message.createdAt,
                        serverPosition: serverPosition)
                ]
            }
            let told = Mutex<ServerPosition?>(nil)
            world.runtime.spawn {
                let delivered = try? await reply.delivered()
                told.withLock { $0 = delivered }
            }
            await world.pass(.seconds(1))
            try await client.messages.refreshMessages(in: world.general)
            try await world.until("it is told") { told.withLock { $0 } == serverPosition }
        }
    }

    @Test func aReplyFollowsAFailedMessage() throws {
        try ClientWorld.run { world in
            let client = try await world.loggedIn()
            try await client.pause()
            let parent = try await client.messages.createTextMessage("one", in: world.general)
            // Behind it in the lane: it is sent, and its parent is not on the server.
            let reply = try await client.messages.createTextMessage("re", in: world.general, parent: parent.id)
            let other = try await client.messages.createTextMessage("other", in: world.general)
            world.transport.server.withLock { $0.refused = [parent.id] }
            try await client.resume()
            _ = try await other.delivered()
            // Created while the parent is failed: it waits from the start.
            let late = try await client.messages.createTextMessage("late", in: world.general, parent: parent.id)
            for id in [reply.id, late.id] {
                #expect(try await client.messages.storedMessage(id)?.isParked == true)
            }
            world.transport.server.withLock { $0.refused = [] }
            try await client.messages.resend(parent.id)
            _ = try await reply.delivered()
            _ = try await late.delivered()
            #expect(world.order == [other.id, parent.id, reply.id, late.id])
        }
    }

    /// Both were refused, and the response was lost. Another copy of the store delivered the parent, and a page
    /// contains it before the late response about the reply arrives.
    @Test func aReplyIsSentAgainWhenAPageBroughtItsParent() throws {
        try ClientWorld.run { world in
            let client = try await world.loggedIn()
            try await client.pause()
            let parent = try await client.messages.createTextMessage("one", in: world.general)
            let reply = try await client.messages.createTextMessage("re", in: world.general, parent: parent.id)
            world.transport.server.withLock { $0.refused = [parent.id] }
            world.script([.loseAnswer])
            try await client.resume()
            try await world.until("the first attempt ended") {
                let tried = try await client.messages.storedMessage(parent.id)
                return tried?.attempts == 1 && tried?.syncState == .created
            }
            let copy = Delivery(
                outbox: OutboxID(UUIDv7(high: 5, low: 5)), epoch: 1, lane: .text,
                operations: [
                    DeliveryOperation(
                        sequence: 1, previous: 0,
                        body: .send(
                            parent.id, channel: world.general, content: .text("one"),
                            createdAt: parent.message.createdAt, parent: nil))
                ])
            let now = world.runtime.wallClock
            try world.transport.server.withLock { server in
                server.refused = []
                _ = try server.hub.apply(copy, at: now) { _, _ in .fine }
                let serverPosition = try #require(server.accepted[parent.id])
                server.page = [
                    RemoteMessage(
                        id: parent.id, channel: world.general, sender: parent.message.sender, content: .text("one"),
                        createdAt: parent.message.createdAt, serverPosition: serverPosition)
                ]
            }
            try await client.messages.refreshMessages(in: world.general)
            _ = try await parent.delivered()
            _ = try await reply.delivered()
            #expect(world.order == [parent.id, reply.id])
        }
    }

    /// The server removed the parent: the reply is sent once more, and fails.
    @Test func aReplyToWhatTheServerTookAwayFailsInTheEnd() throws {
        try ClientWorld.run { world in
            let client = try await world.loggedIn()
            let gone = RemoteMessage(
                id: MessageID(UUIDv7(high: 7, low: 1 << 63)), channel: world.general,
                sender: try #require(UserID("bob")), content: .text("gone"), createdAt: Timestamp(milliseconds: 1),
                serverPosition: ServerPosition(position: 1, acceptedAt: Timestamp(milliseconds: 1)))
            try await world.store.commit([.merge(gone, at: world.runtime.wallClock)])
            let reply = try await client.messages.createTextMessage("re", in: world.general, parent: gone.id)
            await #expect(throws: DeliveryError.self) { try await reply.delivered() }
            #expect(try await client.messages.storedMessage(reply.id)?.failure?.code == "messageNotFound")
            #expect(world.transport.server.withLock { $0.deliveries.count } == 2)
        }
    }

    @Test func aReplyToAMessageThatIsDeletedUnsentIsGivenUpOnce() throws {
        try ClientWorld.run { world in
            let client = try await world.loggedIn()
            try await client.pause()
            let parent = try await client.messages.createTextMessage("one", in: world.general)
            world.transport.server.withLock { $0.refused = [parent.id] }
            try await client.resume()
            await #expect(throws: DeliveryError.self) { try await parent.delivered() }
            let reply = try await client.messages.createTextMessage("re", in: world.general, parent: parent.id)
            try await client.messages.softDeleteMessage(parent.id)
            do {
                _ = try await reply.delivered()
                Issue.record("it cannot have been delivered")
            } catch DeliveryError.failed(let failure) {
                #expect(failure.code == "parentDeleted")
            }
            #expect(try await client.messages.storedMessage(reply.id)?.syncState == .error)
        }
    }
}

extension ClientWorld {
    fileprivate var order: [MessageID] { transport.server.withLock { $0.order } }

    fileprivate func script(_ behaviours: [ScriptedTransport.Behaviour]) {
        transport.server.withLock { $0.behaviours = behaviours }
    }

    /// The number of operations that the server has applied to a message.
    fileprivate func applied(to id: MessageID) -> Int {
        transport.server.withLock { $0.hub.accepted[id]?.applied.count ?? 0 }
    }

    /// A message that is in flight for some time.
    fileprivate func inFlight(
        _ text: String, _ client: CausewayClient, for time: Duration
    ) async throws -> MessageHandle {
        script([.delay(time)])
        let handle = try await client.messages.createTextMessage(text, in: general)
        try await until("it is syncing") { try await client.messages.storedMessage(handle.id)?.syncState == .syncing }
        return handle
    }

    /// Waits until nothing is left to be sent.
    fileprivate func settled(_ client: CausewayClient) async throws {
        try await until("everything was said") {
            let status = try await client.status()
            return status.lanes.isEmpty && status.counts.undelivered == status.counts.error
        }
    }
}
