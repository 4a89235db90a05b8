import Causeway
import CausewayHTTPTransport
import CausewayModels
import CausewayTestSupport
import Testing

/// Two devices of an account on a real hub: what one does appears on the other by itself.
@Suite struct EventTests {
    /// - Parameter scheme: how requests travel.
    private static func withDevices(
        over scheme: String = "https",
        _ body: @Sendable (RealWorld, _ desk: CausewayClient, _ phone: CausewayClient) async throws -> Void
    ) async throws {
        try await RealWorld.run(on: .file) { world in
            let (desk, phone) = (try await world.open("desk"), try await world.open("phone"))
            for client in [desk, phone] {
                let address = scheme + world.address.dropFirst("https".count)
                try await client.login(server: address, token: try world.token())
                try await upToDate(client)
            }
            try await body(world, desk, phone)
            for client in [desk, phone] { await client.close() }
        }
    }

    private static func upToDate(_ client: CausewayClient) async throws {
        try await Eventually.holds("events are followed") { try await client.status().events == .upToDate }
    }

    /// Something on the way ends every socket; events wait over HTTP then, and no probe is needed to say so.
    @Test func theStatusSaysThatThereIsNoSocketAndWhy() async throws {
        try await RealWorld.run(on: .file) { world in
            let port = try #require(world.address.split(separator: ":").last.flatMap { Int($0) })
            try await FaultProxy.run(to: port) { proxy, port in
                let client = try await world.open {
                    $0.carrierChoice = CarrierChoice(retryMin: .seconds(86_400), lifeMin: .seconds(86_400))
                }
                try await client.login(server: "auto://127.0.0.1:\(port)", token: try world.token())
                try await Self.upToDate(client)
                #expect(try await client.status().server?.hasSuffix(" over WebSocket") == true)
                try await Eventually.holds("the socket is given up", lookingEvery: .milliseconds(100)) {
                    try await proxy.cutAll()
                    return try await client.status().server?.contains(" over HTTP: ") == true
                }
                try await Self.upToDate(client)
                let server = try #require(try await client.status().server)
                #expect(server.contains("WebSocket") && !server.hasSuffix(" over WebSocket"))
                await client.close()
            }
        }
    }

    private static func texts(_ client: CausewayClient, _ world: RealWorld) async throws -> [MessageContent] {
        try await client.messages.storedMessages(in: world.general).messages.map(\.content)
    }

    /// Nothing is open on the phone, so nothing requests a page: only events can bring the message.
    @Test(arguments: ["https", "wss", "auto"]) func aMessageArrivesChangesAndDisappears(
        over scheme: String
    ) async throws {
        try await Self.withDevices(over: scheme) { world, desk, phone in
            let handle = try await desk.messages.createTextMessage("hello", in: world.general)
            try await Eventually.holds("it arrives") { try await Self.texts(phone, world) == [.text("hello")] }
            try await desk.messages.editTextMessage(handle.id, to: "hello again")
            try await Eventually.holds("the edit arrives") {
                try await Self.texts(phone, world) == [.text("hello again")]
            }
            try await phone.messages.addReaction("wave", to: handle.id)
            try await Eventually.holds("the reaction arrives") {
                try await desk.messages.storedMessages(in: world.general).messages.first?.reactions == ["wave": 1]
            }
            try await desk.messages.softDeleteMessage(handle.id)
            try await Eventually.holds("it disappears") { try await Self.texts(phone, world).isEmpty }
        }
    }

    @Test func anOpenListShowsIt() async throws {
        try await Self.withDevices { world, desk, phone in
            let list = phone.liveChanges(of: MessagesQuery(.channel(world.general))).makeAsyncIterator()
            while let change = await list.next(), change.dataStatus != .fresh {}
            let handle = try await desk.messages.createTextMessage("hello", in: world.general)
            var last = await list.next()
            while let change = last, change.snapshot.count != 1 { last = await list.next() }
            #expect(last?.dataStatus == .fresh)
            try await desk.messages.softDeleteMessage(handle.id)
            while let change = last, !change.snapshot.isEmpty { last = await list.next() }
            #expect(last?.dataStatus == .fresh)
        }
    }

    /// A device that was closed while another one deleted a message loses it when it returns.
    @Test func aClosedDeviceCatchesUp() async throws {
        try await RealWorld.run { world in
            let credentials = MemoryCredentialStore()
            let desk = try await world.open("desk")
            var phone = try await world.open("phone", credentials: credentials)
            for client in [desk, phone] {
                try await client.login(server: world.address, token: try world.token())
                try await Self.upToDate(client)
            }
            let first = try await desk.messages.createTextMessage("first", in: world.general)
            try await Eventually.holds("it arrives") { try await Self.texts(phone, world) == [.text("first")] }
            await phone.close()
            try await desk.messages.softDeleteMessage(first.id)
            _ = try await desk.messages.createTextMessage("second", in: world.general).delivered()
            try await Eventually.holds("all is sent") { try await desk.status().counts.undelivered == 0 }
            phone = try await world.open("phone", credentials: credentials)
            try await Eventually.holds("it has caught up") { try await Self.texts(phone, world) == [.text("second")] }
            for client in [desk, phone] { await client.close() }
        }
    }

    /// A new channel of the account appears in the list of its memberships.
    @Test func aChannelOfAnotherDeviceAppears() async throws {
        try await Self.withDevices { world, desk, phone in
            let ann = try #require(UserID("ann"))
            let list = await phone.records.getRecords(ChannelMember.self, in: ChannelMember.channels(of: ann)).changes
                .makeAsyncIterator()
            while let change = await list.next(), change.dataStatus != .fresh {}
            let news = try #require(ChannelID("news"))
            try await desk.channels.createChannel(news)
            var last = await list.next()
            while let change = last, !change.snapshot.contains(where: { $0.channel == news }) {
                last = await list.next()
            }
            #expect(last != nil)
            _ = try await desk.messages.createTextMessage("first", in: news).delivered()
            try await Eventually.holds("its message arrives") {
                try await phone.messages.storedMessages(in: news).messages.count == 1
            }
        }
    }
}
