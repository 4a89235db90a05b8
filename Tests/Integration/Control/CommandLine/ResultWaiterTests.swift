import Causeway
import CausewayCommandLine
import CausewayControlAPI
import CausewayControlClient
import CausewayControlServer
import Synchronization
import Testing

/// The results of messages that a command waits for.
@Suite struct ResultWaiterTests {
    /// The results that are known do not depend on a message whose result is not.
    @Test(arguments: [false, true])
    func aMessageThatIsGoneHidesNoOther(lingers: Bool) async throws {
        try await ControlWorld.run { world in
            try await world.local.setPaused(true)
            let channel = try #require(ChannelID("general"))
            let messages = (1...3).map { OutgoingMessage(channel: channel, text: "m\($0)") }
            let ids = try await world.client.send(messages).ids
            _ = try await world.client.delete([ids[1]], by: .cli)
            let waiter = ResultWaiter(service: world.client)
            let outcome =
                lingers
                ? await waiter.linger(over: ids, within: .seconds(60)) : await waiter.results(of: ids, within: .zero)
            #expect(outcome.results.map(\.id) == [ids[0], ids[2]])
            #expect(outcome.results.map(\.outcome) == [.waiting, .waiting])
            #expect(outcome.problem?.code == .notFound)
            #expect(outcome.problem?.detail.contains(ids[1].description) == true)
        }
    }

    /// As when the daemon stops: what it has said until then is known.
    @Test(arguments: [false, true])
    func anErrorHidesNoResultBeforeIt(lingers: Bool) async throws {
        let runtime = SystemRuntime()
        let ids = (0..<3).map { _ in MessageID(runtime.makeUUIDv7()) }
        let asked = Mutex<[MessageID]>([])
        let position = ServerPosition(position: 1, acceptedAt: Timestamp(milliseconds: 1000))
        let problem = ControlError(.daemonUnreachable, "it stopped")
        let service = DeafService { id throws(ControlError) in
            asked.withLock { $0.append(id) }
            guard id == ids[0] else { throw problem }
            return DeliveryResultResponse(delivered: id, position)
        }
        let waiter = ResultWaiter(service: service)
        let outcome =
            lingers
            ? await waiter.linger(over: ids, within: .seconds(60)) : await waiter.results(of: ids, within: nil)
        #expect(outcome.results == [DeliveryResultResponse(delivered: ids[0], position)])
        #expect(outcome.problem == problem)
        let requested = asked.withLock { $0 }
        #expect(requested == Array(ids.prefix(2)))
    }
}
