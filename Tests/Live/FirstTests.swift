import CausewayLive
import CausewayModels
import CausewayStorage
import Testing

@MainActor struct FirstTests {
    @Test func works() throws {
        try LiveWorld.run { world in
            let collection = world.router.collection(MessagesQuery(.channel(world.general)))
            await world.settle()
            #expect(collection.loadingStatus == .loaded)
        }
    }
}
