import Causeway
import CausewayHub
import CausewayHubRules
import CausewayModels
import CausewayTestSupport
import Testing

/// Two accounts on a real hub see each other typing, and that they are present.
@Suite struct EphemeralTests {
    @Test(arguments: ["https", "wss", "auto"]) func oneSeesTheOtherTyping(over scheme: String) async throws {
        // However long the test takes, nothing ends by itself.
        try await RealWorld.run { configuration in
            configuration.ephemeral.typingLife = .seconds(3600)
        } _: { world in
            let address = scheme + world.address.dropFirst("https".count)
            let (desk, phone) = (try await world.open("desk"), try await world.open("phone"))
            try await desk.login(server: address, token: try world.token())
            try await phone.login(server: address, token: try await world.addMember("bob"))
            for client in [desk, phone] {
                try await Eventually.holds("events are followed") { try await client.status().events == .upToDate }
            }
            func names(_ users: ChannelUsers) -> [String] { users.now.map(\.value) }
            for client in [desk, phone] {
                try await Eventually.holds("both are present") {
                    names(client.presence(in: world.general)) == ["ann", "bob"]
                }
            }
            let people = await phone.livePresence(in: world.general)
            try await Eventually.holds("the screen shows who is present") {
                await people.users.map(\.value) == ["ann", "bob"]
            }
            let screen = await phone.liveTyping(in: world.general)
            await desk.setTyping(in: world.general)
            try await Eventually.holds("typing is seen") { names(phone.typing(in: world.general)) == ["ann"] }
            try await Eventually.holds("the screen shows it") { await screen.users.map(\.value) == ["ann"] }
            #expect(names(desk.typing(in: world.general)) == [])
            await desk.setTyping(false, in: world.general)
            try await Eventually.holds("its end is seen") { phone.typing(in: world.general).now.isEmpty }
            try await Eventually.holds("the screen shows its end") { await screen.users.isEmpty }
            await phone.setTyping(in: world.general)
            try await Eventually.holds("the other direction") { names(desk.typing(in: world.general)) == ["bob"] }
            _ = try await phone.messages.createTextMessage("done", in: world.general).delivered()
            try await Eventually.holds("a message ends it") { desk.typing(in: world.general).now.isEmpty }
            // Without its events, nothing is known of others.
            _ = try await phone.logout()
            try await Eventually.holds("the screen shows nobody") { await people.users.isEmpty }
            for client in [desk, phone] { await client.close() }
        }
    }
}
