package import Causeway

/// The way of one message from its creation to the board.
package struct Journey: Sendable {
    /// The message's states, as the store committed them.
    package var states: [SyncState]
    package var position: ServerPosition
    /// The texts on the board afterwards.
    package var texts: [String]
    /// The users whose tokens are kept afterwards, and after the logout.
    package var users: [[String]]

    /// Creates a message on a new client with ``JournalingStore``, ``BoardTransport`` and ``AccountCredentials``, waits
    /// for its delivery, and logs out.
    package static func ofMessage(_ text: String) async throws -> Journey {
        guard let channel = ChannelID("general"), let user = UserID("ann"), let token = AccessToken("any-token") else {
            throw BoardError.noBoard
        }
        let board = BulletinBoard(user: user, token: token, channel: channel)
        var transports = TransportRegistry()
        transports.register("board") { _, token in BoardTransport(to: board, token: token) }

        let store = JournalingStore(MemoryStore())
        let credentials = AccountCredentials()
        let client = try await CausewayClient.open(store: store, transports: transports, credentials: credentials)
        try await client.login(server: "board://here", token: token)

        let handle = try await client.messages.createTextMessage(text, in: channel)
        let position = try await handle.delivered()
        var users = [credentials.accounts.map(\.user.value)]
        try await client.logout()
        users.append(credentials.accounts.map(\.user.value))
        await client.close()
        let texts = board.notes.compactMap { if case .text(let text) = $0.content { text } else { nil } }
        return Journey(states: store.states(of: handle.id), position: position, texts: texts, users: users)
    }

    package var lines: [String] {
        states.map { "committed as \($0.rawValue)" }
            + ["delivered at \(position.position)", "on the board: \(texts.joined(separator: ", "))"]
            + zip(["kept", "kept after the logout"], users).map { "tokens \($0): \($1.joined(separator: ", "))" }
    }
}
