import OwnAdapters
import Testing

@Suite struct JourneyTests {
    @Test func aMessageTravelsThroughAnOwnTransportStoreAndCredentials() async throws {
        let journey = try await Journey.ofMessage("hello")
        #expect(
            journey.lines == [
                "committed as created", "committed as syncing", "committed as synced", "delivered at 1",
                "on the board: hello", "tokens kept: ann", "tokens kept after the logout: ",
            ])
    }
}
