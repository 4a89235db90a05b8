import Causeway
import CausewayHTTPTransport
import CausewaySQLiteStorage
import CausewayTLS
import Foundation

/// The hub to measure against, and clients of it.
struct BenchServer {
    let address: String
    let channel: ChannelID
    private let token: AccessToken
    private let transports: TransportRegistry

    init(address: String, authority: String, tokenFile: String, channel: String) throws {
        let text = try String(contentsOfFile: tokenFile, encoding: .utf8)
        guard let token = AccessToken(text.trimmingCharacters(in: .whitespacesAndNewlines)) else {
            throw BenchError("\(tokenFile) contains no token")
        }
        guard let channel = ChannelID(channel) else { throw BenchError("invalid channel name \(channel)") }
        self.address = address
        self.channel = channel
        self.token = token
        var transports = TransportRegistry()
        transports.registerHTTP(
            HTTPTransportConfiguration(tls: TLSClientConfiguration(trust: .authorities(path: authority)), proxy: .none))
        self.transports = transports
    }

    /// Runs `body` with a client on a new store in `folder` that is logged in, has delivered one message, so that its
    /// connection is open and the server known to be reachable, and is paused.
    func withPausedClient<Value>(
        in folder: String, _ durability: Durability, configuration: ClientConfiguration = ClientConfiguration(),
        _ body: (CausewayClient) async throws -> Value
    ) async throws -> Value {
        let store = try await SQLiteStore.open(at: folder, durability: durability)
        let client = try await CausewayClient.open(
            store: store, transports: transports, credentials: MemoryCredentialStore(), configuration: configuration)
        do {
            try await client.login(server: address, token: token)
            _ = try await client.messages.createTextMessage("first", in: channel).delivered()
            try await client.pause()
            let value = try await body(client)
            await client.close()
            return value
        } catch {
            await client.close()
            throw error
        }
    }

    /// The position of the newest message of the channel; 0 when there is none.
    func lastPosition() async throws -> Int64 {
        try await withTransport { transport in
            let page = try await transport.messages(RemoteQuery(channel: channel, range: .newest, limit: 1))
            return page.items.last?.serverPosition.position ?? 0
        }
    }

    /// The messages after a position, in the order of the server.
    func messages(after position: Int64) async throws -> [RemoteMessage] {
        try await withTransport { transport in
            var found: [RemoteMessage] = []
            var last = position
            while true {
                let page = try await transport.messages(
                    RemoteQuery(channel: channel, range: .after(position: last), limit: Limits.pageSizeMax))
                found += page.items
                guard page.hasMore, let end = page.items.last else { return found }
                last = end.serverPosition.position
            }
        }
    }

    /// Runs `body` with a transport to the hub.
    func withTransport<Value>(_ body: (any Transport) async throws -> Value) async throws -> Value {
        let transport = try transports.makeTransport(to: address, token: token)
        do {
            let value = try await body(transport)
            await transport.close()
            return value
        } catch {
            await transport.close()
            throw error
        }
    }
}
