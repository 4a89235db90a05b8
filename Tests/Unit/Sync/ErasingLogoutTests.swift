import Causeway
import CausewayModels
import CausewayRuntime
import CausewaySimulatedRuntime
import CausewayStorage
import CausewayTransport
import Synchronization
import Testing

/// Logout with the erasure of the account's data.
struct ErasingLogoutTests {
    @Test func nothingOfTheAccountIsLeft() throws {
        try ClientWorld.run { world in
            let client = try await world.loggedIn()
            let first = try await client.messages.createTextMessage("1", in: world.general)
            try await first.delivered()
            let deleted = try await client.messages.createTextMessage("2", in: world.general)
            try await deleted.delivered()
            try await client.messages.softDeleteMessage(deleted.id)
            world.transport.server.withLock { $0.always = .fail(.unreachable(detail: "refused")) }
            let queued = try await client.messages.createTextMessage("3", in: world.general)
            let former = try await world.store.outbox().outboxID
            #expect(try await client.logout(erasing: true) >= 1)
            await #expect(throws: DeliveryError.deleted) { try await queued.delivered() }
            #expect(client.session == nil)
            #expect(try await world.texts(client) == [])
            #expect(try await client.messages.deleteActions().isEmpty)
            #expect(try await client.status().counts == StoreCounts())
            #expect(try await client.status().lanes.isEmpty)
            #expect(try await world.store.outbox().entries.isEmpty)
            #expect(try await world.store.outbox().outboxID != former)

            // The account is as new to the store; what the server has of it comes back.
            world.transport.server.withLock { $0.always = .work }
            try await world.login(client)
            let next = try await client.messages.createTextMessage("4", in: world.general)
            try await next.delivered()
            #expect(world.transport.server.withLock { $0.order } == [first.id, deleted.id, next.id])
            #expect(try await world.texts(client) == ["4"])
        }
    }

    @Test func itEndsLiveCollectionsWithNothing() throws {
        try ClientWorld.run { world in
            let client = try await world.loggedIn()
            try await client.messages.createTextMessage("1", in: world.general).delivered()
            let changes = client.messages.messageChanges(in: world.general).makeAsyncIterator()
            while let change = await changes.next(), change.snapshot.isEmpty {}
            try await client.logout(erasing: true)
            while let change = await changes.next(), !change.snapshot.isEmpty {}
            await client.close()
        }
    }

    @Test func anotherAccountKeepsWhatIsItsOwn() throws {
        try ClientWorld.run { world in
            let client = try await world.loggedIn()
            let kept = try await client.messages.createTextMessage("1", in: world.general)
            try await kept.delivered()
            try await client.logout()
            let bob = ServerInfo(user: try #require(UserID("bob")), server: "scripted")
            let ann = ServerInfo(user: try #require(UserID("ann")), server: "scripted")
            world.transport.server.withLock { $0.serverInfo = .success(bob) }
            try await world.login(client)
            try await client.messages.createTextMessage("2", in: world.general).delivered()
            try await client.logout(erasing: true)
            #expect(try await world.texts(client) == [])
            world.transport.server.withLock { $0.serverInfo = .success(ann) }
            try await world.login(client)
            #expect(try await world.texts(client) == ["1"])
        }
    }

    @Test func filesAreRemoved() throws {
        try ClientWorld.run { world in
            let store = MemoryStore(
                blobs: MemoryBlobStore { path throws(BlobError) in
                    MemoryBlobStore.File(
                        Attachment(name: path, contentType: "audio/ogg", size: 9, sha256: path),
                        bytes: ScriptedMedia.bytes(path, size: 9))
                })
            world.transport.store(ScriptedMedia(world.runtime) { _ in })
            let client = try await world.open(on: store)
            try await world.login(client)
            let blobs = try #require(store.blobs)
            world.transport.server.withLock { $0.always = .fail(.unreachable(detail: "refused")) }
            let session = try #require(try await store.session())
            let id = MessageID(world.runtime.makeUUIDv7())
            let file = try await blobs.add(
                fileAt: "a9", for: BlobReference(account: session.account, message: id), bytesMax: .max)
            _ = try await store.enqueue(
                MessageDraft(
                    id: id, channel: world.general, sender: session.user, content: .audio(file),
                    createdAt: world.runtime.wallClock, lane: .media, account: session.account))
            #expect(try await blobs.usage().blobs == 1)
            try await client.logout(erasing: true)
            #expect(try await blobs.usage().blobs == 0)
            #expect(try await store.message(id) == nil)
            await client.close()
        }
    }

    @Test func withoutAUserThereIsNothingToEnd() throws {
        try ClientWorld.run { world in
            let received = BlobCollectorTests.ReceivedNotes()
            let client = try await world.open(on: FailingStore(received: received))
            await #expect(throws: ClientError.noSession) { try await client.logout(erasing: true) }
            #expect(received.erasures.withLock { $0 } == 0, "a failed call removed downloaded files")
            try await world.login(client)
            try await client.logout(erasing: true)
            #expect(received.erasures.withLock { $0 } == 2, "before the end of the session, and after it")
            await client.close()
        }
    }
}
