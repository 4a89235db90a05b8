import CausewayLive
import CausewayModels
import CausewayStorage
import Testing

@MainActor struct FirstTests {
    @Test func works() throws {
        try LiveWorld.run { world in
            let collection = onMain { world.router.collection(MessagesQuery(.channel(world.general))) }
            await world.settle()
            onMain { #expect(collection.loadingStatus == .loaded) }
        }
    }
}
