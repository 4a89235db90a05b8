// Sends one message, and waits until it is on the server:
//
//     first-message FOLDER https://chat.example CHANNEL < token
//
// The part between the two marks is the snippet of the README; `Tools/test_readme.py` keeps both equal.

import Causeway
import CausewayHTTPTransport
import CausewaySQLiteStorage

@main
enum FirstMessage {
    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 4, let general = ChannelID(arguments[3]), let line = readLine(),
            let token = AccessToken(line)
        else { return print("usage: first-message FOLDER SERVER CHANNEL < token") }
        try await send(in: arguments[1], to: arguments[2], token, general)
    }

    private static func send(
        in folder: String, to server: String, _ token: AccessToken, _ general: ChannelID
    ) async throws {
        let credentials = MemoryCredentialStore()
        // snippet: begin
        var transports = TransportRegistry()
        transports.registerHTTP()
        let client = try await CausewayClient.open(
            store: try await SQLiteStore.open(at: folder), transports: transports,
            credentials: credentials)
        try await client.login(server: server, token: token)

        // Observe the channel: first the stored messages, then those of the server, then every change.
        let messages = await client.messages.getMessages(in: general)
        let watching = await messages.observe { messages, _ in
            for message in messages.snapshots { print(message.syncState, message.id) }
        }

        let handle = try await client.messages.createTextMessage("hi", in: general)  // durable and visible now
        _ = try await handle.delivered()  // on the server now
        // snippet: end
        watching.invalidate()
        await client.close()
    }
}
