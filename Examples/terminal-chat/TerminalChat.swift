import Causeway
import CausewayHTTPTransport
import CausewaySQLiteStorage
import CausewayTLS
import CausewayTerminal
import Foundation

/// A chat in a terminal that uses only the public API: conversations on the left, the open one on the right, an input
/// line below. Every message shows its delivery state: queued, on its way, on the server, or failed.
///
///     terminal-chat --store FOLDER --server https://localhost:8443 --ca ca.pem --token-file ann.token general random
///
/// Tab and the arrow keys switch channels, Page Up and Page Down scroll, End returns to the newest message, Control-R
/// resends failed messages, Control-C ends the chat. Only the first login needs the server; after that the chat works
/// offline, and resumes delivery when the server is reachable again.
@main
@MainActor
enum TerminalChat {
    static func main() async {
        do {
            try await run(try Options(CommandLine.arguments.dropFirst()))
        } catch {
            let lines = "\(error)".split(separator: "\n").map { TerminalText.harmless(String($0)) }
            try? FileHandle.standardError.write(
                contentsOf: Data("terminal-chat: \(lines.joined(separator: "\n"))\n".utf8))
            exit(1)
        }
    }

    private static func run(_ options: Options) async throws {
        let client = try await open(options)
        let ending: Int32?
        do {
            let screen = try TerminalScreen(hasColours: ProcessInfo.processInfo.environment["NO_COLOR"] == nil)
            defer { screen.leave() }
            let chat = Chat(client: client, channels: options.channels, screen: screen)
            ending = await chat.run()
        } catch {
            await client.close()
            throw error
        }
        await client.close()
        if let ending { TerminalScreen.end(by: ending) }
    }

    /// Resumes the stored session; logs in when there is none.
    private static func open(_ options: Options) async throws -> CausewayClient {
        var transports = TransportRegistry()
        let trust: TLSClientConfiguration.Trust = options.authorities.map { .authorities(path: $0) } ?? .system
        transports.registerHTTP(HTTPTransportConfiguration(tls: TLSClientConfiguration(trust: trust)))
        var configuration = ClientConfiguration()
        // Messages left undelivered by the previous run are still to be sent.
        configuration.restart = .resume
        let client = try await CausewayClient.open(
            store: try await SQLiteStore.open(at: options.folder, durability: .full), transports: transports,
            credentials: GivenCredentials(token: options.token), configuration: configuration)
        do {
            try await login(client, options)
            return client
        } catch {
            await client.close()
            throw error
        }
    }

    /// Without the server, only a client with a stored session can continue.
    private static func login(_ client: CausewayClient, _ options: Options) async throws(ClientError) {
        do throws(ClientError) {
            _ = try await client.login(server: options.server, token: options.token)
        } catch {
            guard case .transport = error, try await client.status().session?.isActive == true else {
                throw error
            }
        }
    }
}
