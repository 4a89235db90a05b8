package import Causeway

/// The way of one message from its creation to the board.
package struct Journey: Sendable {
    /// The message's states, as the store committed them.
    package var states: [SyncState]
    package var position: ServerPosition
    /// The texts on the board afterwards.
    package var texts: [String]

    /// Creates a message on a new client with ``JournalingStore`` and ``BoardTransport``, and waits for its delivery.
    package static func ofMessage(_ text: String) async throws -> Journey {
        guard let channel = ChannelID("general"), let user = UserID("ann"), let token = AccessToken("any-token") else {
            throw BoardError.noBoard
        }
        let board = BulletinBoard(user: user, token: token, channel: channel)
        var transports = TransportRegistry()
        transports.register("board") { _, token in BoardTransport(to: board, token: token) }

        let store = JournalingStore(MemoryStore())
        let client = try await CausewayClient.open(
            store: store, transports: transports, credentials: MemoryCredentialStore())
        try await client.login(server: "board://here", token: token)

        let handle = try await client.messages.createTextMessage(text, in: channel)
        let position = try await handle.delivered()
        await client.close()
        let texts = board.notes.compactMap { if case .text(let text) = $0.content { text } else { nil } }
        return Journey(states: store.states(of: handle.id), position: position, texts: texts)
    }

    package var lines: [String] {
        states.map { "committed as \($0.rawValue)" }
            + ["delivered at \(position.position)", "on the board: \(texts.joined(separator: ", "))"]
    }
}
