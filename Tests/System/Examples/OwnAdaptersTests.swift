import CausewayTestSupport
import Testing

/// The example of an application with a transport and a store of its own, as a real program. It sees only what is
/// public.
@Suite struct OwnAdaptersTests {
    @Test func aMessageTravelsThroughAnOwnTransportAndStore() async throws {
        let outcome = try await Program("own-adapters").run(["hello"])
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(
            outcome.lines == [
                "committed as created", "committed as syncing", "committed as synced", "delivered at 1",
                "on the board: hello",
            ])
    }
}
