// Sends one message through a transport and a store of its own, with the public API alone:
//
//     own-adapters TEXT
//
// It prints one line for each commit of the store that holds the message, and the message's position on the server.

import Causeway

@main
enum OwnAdapters {
    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 2, let general = ChannelID("general"), let user = UserID("ann"),
            let token = AccessToken("any-token")
        else { return print("usage: own-adapters TEXT") }

        let board = BulletinBoard(user: user)
        var transports = TransportRegistry()
        transports.register("board") { _, _ in BoardTransport(to: board) }

        let store = JournalingStore(MemoryStore())
        let client = try await CausewayClient.open(
            store: store, transports: transports, credentials: MemoryCredentialStore())
        try await client.login(server: "board://here", token: token)

        let handle = try await client.messages.createTextMessage(arguments[1], in: general)
        let position = try await handle.delivered()
        for state in store.states(of: handle.id) { print("committed as \(state.rawValue)") }
        print("delivered at \(position.position)")
        print("on the board: \(board.texts.joined(separator: ", "))")
        await client.close()
    }
}
