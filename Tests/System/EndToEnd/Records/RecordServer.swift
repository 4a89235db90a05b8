import Causeway
import CausewayHTTPTransport
import CausewayHub
import CausewayHubRules
import CausewayHubSQLite
import CausewayModels
import CausewayTestSupport
import Foundation
import Logging
import Testing

/// A real hub with given kinds of records and the accounts `ann` and `bob`, and clients with stores on the disk.
struct RecordServer: Sendable {
    let ann: AccessToken
    let bob: AccessToken
    private let address: String
    private let folder: String
    private let kinds: Set<RecordKind>
    private let stores: StoreKind

    /// - Parameter stores: the kind of the clients' stores.
    static func run(
        _ rules: [any RecordRules.Type], kinds: Set<RecordKind>, on stores: StoreKind = .sqlite,
        _ body: @Sendable (RecordServer) async throws -> Void
    ) async throws {
        let temporary = try TemporaryFolder()
        let folder = DataFolder(temporary.path + "/hub")
        _ = try await HubSetup(folder: folder, names: ["localhost"], account: "ann", channel: "general").run(
            opening: SQLiteHubStorage.open)
        let text = try String(contentsOfFile: folder.token(of: "ann"), encoding: .utf8)
        let ann = try #require(AccessToken(text.trimmingCharacters(in: .whitespacesAndNewlines)))
        try await HubService.running(
            HubConfiguration(folder: folder, port: 0, security: .plainOnLoopback), opening: SQLiteHubStorage.open,
            kinds: HubKinds(rules), logger: Logger(label: "hub") { _ in SwiftLogNoOpLogHandler() }
        ) { hub in
            let bob = try #require(AccessToken(try await hub.administration.addAccount("bob").text))
            let server = RecordServer(
                ann: ann, bob: bob, address: "http://127.0.0.1:\(try await hub.port())", folder: temporary.path,
                kinds: kinds, stores: stores)
            try await Eventually.ends { try await body(server) }
        }
    }

    /// Runs `body` with a client of the account, on the store `name`; offline it is not logged in.
    func withClient(
        _ name: String, _ token: AccessToken?, _ body: (CausewayClient) async throws -> Void
    ) async throws {
        var http = HTTPTransportConfiguration()
        http.proxy = .none
        http.records = kinds
        var transports = TransportRegistry()
        transports.registerHTTP(http)
        let client = try await CausewayClient.open(
            store: try await stores.open(at: folder + "/" + name, durability: .normal), transports: transports,
            credentials: MemoryCredentialStore(), configuration: RealWorld.quick)
        do {
            if let token { try await client.login(server: address, token: token) }
            try await body(client)
        } catch {
            await client.close()
            throw error
        }
        await client.close()
    }
}

extension LiveChanges {
    /// The first change for which the condition holds.
    func first(
        where condition: @Sendable (LiveCollectionChange<Record>) -> Bool
    ) async -> LiveCollectionChange<Record>? {
        for await change in self where condition(change) { return change }
        return nil
    }
}
