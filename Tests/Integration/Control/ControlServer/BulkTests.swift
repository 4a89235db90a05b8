import Causeway
import CausewayCommandLine
import CausewayConfiguration
import CausewayControlAPI
import CausewayControlClient
import CausewayControlServer
import CausewayScriptedWorld
import CausewayTestSupport
import Foundation
import Testing

/// Many messages: all are accepted, each sender's in its order.
@Suite struct BulkTests {
    private let general: ChannelID

    init() throws { general = try #require(ChannelID("general")) }

    @Test func eightClientsAtOnceKeepEachTheirOrder() async throws {
        let (clients, requests, size) = (8, 10, 25)
        try await ControlWorld.run { world in
            world.remote.set(.unreachable)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<clients {
                    group.addTask {
                        let client = try ControlClient(socketPath: world.socketPath)
                        for request in 0..<requests {
                            let messages = (0..<size).map {
                                OutgoingMessage(channel: general, text: "\(number) \(request * size + $0)")
                            }
                            #expect(try await client.send(messages).ids.count == size)
                        }
                        await client.close()
                    }
                }
                try await group.waitForAll()
            }
            #expect(try await world.client.status().counts.undelivered == clients * requests * size)
            world.remote.set(.working)
            try await world.client.probe()
            try await Eventually.holds("all are delivered") { try await world.client.status().counts.undelivered == 0 }
            let texts = world.remote.texts
            #expect(texts.count == clients * requests * size)
            for number in 0..<clients {
                let own = texts.filter { $0.hasPrefix("\(number) ") }
                #expect(own == (0..<requests * size).map { "\(number) \($0)" })
            }
        }
    }

    @Test func linesOfJSONAreTakenInTheirOrder() async throws {
        try await ControlWorld.run { world in
            let lines = (1...50).map { #"{"channel":"general","text":"line \#($0)"}"# }.joined(separator: "\n") + "\n\n"
            let answer = try await RawRequest.send(
                RawRequest.post("/v1/messages", lines, type: "application/x-ndjson"), to: world.socketPath)
            #expect(answer.status == 201)
            try await Eventually.holds("all are delivered") { try await world.client.status().delivered == 50 }
            #expect(world.remote.texts == (1...50).map { "line \($0)" })
        }
    }

    @Test func oneThatIsNotAcceptableStopsAllBeforeTheFirst() async throws {
        try await ControlWorld.run { world in
            var messages = (1...10).map { OutgoingMessage(channel: general, text: "m\($0)") }
            messages[6].text = String(repeating: "x", count: Limits.textBytesMax + 1)
            do throws(ControlError) {
                _ = try await world.client.send(messages)
                Issue.record("the seventh is too long")
            } catch {
                #expect(error.code == .messageInvalid)
                #expect(error.detail.hasPrefix("message 7 of 10: the text has 131073 bytes"))
            }
            let counts = try await world.client.status().counts
            #expect(counts.undelivered == 0)
            #expect(world.remote.texts.isEmpty)
        }
    }

    @Test func whatTheStoreTookBeforeItRefusedIsReported() async throws {
        let store = MemoryStore(bounds: OutboxBounds(messagesMax: 3, bytesMax: 1 << 20))
        let client = try await CausewayClient.open(
            store: store, transports: ScriptedServer().registry, credentials: MemoryCredentialStore())
        let service = ClientControlService(
            client: client, trust: MemoryTrustStore(),
            process: StatusResponse.Process(pid: 1, version: "", store: "", isDaemon: false))
        _ = try await service.login(ControlWorld.login)
        try await service.setPaused(true)
        let messages = (1...5).map { OutgoingMessage(channel: general, text: "m\($0)") }
        let report = try await service.send(messages)
        #expect(report.ids.count == 3)
        #expect(report.problem?.error.code == .outboxFull)
        #expect(try await service.outbox(PageRange()).messages.map(\.id) == report.ids)
        do throws(ControlError) {
            _ = try await service.send(messages)
            Issue.record("the outbox is full")
        } catch {
            #expect(error.code == .outboxFull)
            #expect(error.code.exitStatus == .temporary)
        }
        await client.close()
    }
}
