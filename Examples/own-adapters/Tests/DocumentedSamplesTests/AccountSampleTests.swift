import Causeway
import CausewayTestKit
import DocumentedSamples
import Synchronization
import Testing

@MainActor @Suite(.timeLimit(.minutes(5))) struct AccountSampleTests {
    @Test func channelsAreCreatedAndJoined() async throws {
        try await TestHub.run(users: ["ann", "bob", "cid"]) { @MainActor hub in
            let (ann, cid) = (try await hub.client(of: "ann"), try await hub.client(of: "cid"))
            let (samples, others) = (ChannelSamples(ann), ChannelSamples(cid))
            let weekend = try #require(ChannelID("weekend"))
            try await samples.create(weekend, with: [try #require(UserID("bob"))])
            let (channel, channels) = (others.channel(weekend), others.publicChannels())
            await until { channel.snapshot?.name == "Weekend plans" }
            await until { channels.snapshots.contains { $0.id == weekend } }
            let memberships = try others.memberships()
            for _ in 1...2 { try await others.join(weekend) }
            await until { memberships.snapshots.contains { $0.channel == weekend } }
            let (members, owners) = (samples.members(of: weekend), samples.owners(of: weekend))
            await until { members.snapshots.map(\.user.value) == ["ann", "bob", "cid"] }
            await until { owners.snapshots.map(\.user.value) == ["ann"] }
            try await others.leave(weekend)
            await until { members.snapshots.map(\.user.value) == ["ann", "bob"] }
        }
    }

    @Test func aRefusedTokenIsRenewed() async throws {
        try await TestHub.run { hub in
            let asked = Mutex<[UserID]>([])
            let client = try await SessionSamples.open(
                on: MemoryStore(), hub.transports, MemoryCredentialStore(), .withoutWaiting
            ) { user in
                asked.withLock { $0.append(user) }
                return try hub.token(of: user.value)
            }
            let user = try await SessionSamples.login(client, at: hub.address, with: try hub.token(of: "ann"))
            #expect(user.value == "ann" && asked.withLock { $0 }.isEmpty)
            try await hub.replaceToken(of: "ann")
            try await client.messages.createTextMessage("Hi", in: .sample).delivered()
            #expect(asked.withLock { Set($0) } == [user])
            await client.close()
        }
    }

    @Test func aSessionIsFollowedToItsEnd() async throws {
        try await TestHub.run { hub in
            let client = try await hub.client(of: "ann")
            try await client.messages.createTextMessage("Hi", in: .sample).delivered()
            let shown = Mutex<[Bool]>([])
            let (states, state) = AsyncStream<Bool>.makeStream()
            let follower = Task {
                await SessionSamples.followSession(of: client) { isLoggedIn in
                    shown.withLock { $0.append(isLoggedIn) }
                    state.yield(isLoggedIn)
                }
            }
            for await isLoggedIn in states where isLoggedIn { break }
            try await SessionSamples.logout(client)
            await follower.value
            #expect(shown.withLock { $0.last } == false)
            #expect(try await client.messages.storedMessages(in: .sample).messages.isEmpty)
        }
    }
}
