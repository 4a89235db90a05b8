import CausewayHTTPServer
import CausewayHub
import CausewayHubBlobs
import CausewayHubSQLite
import CausewayHubStorage
import CausewayModels
import CausewayRecords
import CausewayTestSupport
import CausewayWebSocket
import CausewayWire
import Foundation
import GRDB
import Logging
import Testing

/// A real hub in process, plain on loopback, with the account `me` and the channel `general`.
struct HubFixture: Sendable {
    enum StorageKind: CaseIterable { case sqlite, memory }

    let hub: HubService
    let client: HubClient
    let folder: DataFolder
    let log: LogRecorder

    var port: Int { client.port }

    /// The storage of a hub that was not started on another kind.
    var storage: SQLiteHubStorage {
        get throws { try #require(hub.storage as? SQLiteHubStorage) }
    }

    /// Returns a client of a further account, by default a member of the channel `general`.
    func client(of account: String, isMember: Bool = true) async throws -> HubClient {
        let token = try await hub.administration.addAccount(account).text
        if isMember {
            let member = try #require(ChannelMemberID("general/\(account)"))
            try await hub.administration.setMember(member, .member)
        }
        return HubClient(port: client.port, token: token)
    }

    /// Returns the record of a channel, from the hub's storage.
    func channel(_ name: String) async throws -> Channel {
        let id = try #require(ChannelID(name))
        return try #require(try await hub.administration.channel(id))
    }

    static func token(in folder: DataFolder) throws -> String {
        try String(contentsOfFile: folder.token(of: "me"), encoding: .utf8).trimmingCharacters(in: .newlines)
    }

    /// Runs a hub on a storage of this kind.
    static func running<Value: Sendable>(
        on kind: StorageKind, change: @Sendable (inout HubConfiguration) -> Void = { _ in },
        _ body: @Sendable (HubFixture) async throws -> Value
    ) async throws -> Value {
        guard kind == .memory else { return try await running(change: change, body) }
        let temporary = try TemporaryFolder()
        let folder = DataFolder(temporary.path)
        let data = MemoryHubData()
        _ = try await HubSetup(folder: folder, names: ["localhost"], account: "me", channel: "general").run(
            opening: data.open)
        return try await running(folder, opening: data.open, change: change, body)
    }

    static func running<Value: Sendable>(
        faults: HubFaults? = nil, storageFaults: StorageFaults? = nil,
        limits: ConnectionLimits = .patient, attemptRefill: Duration? = nil, rest: Duration? = nil,
        change: @Sendable (inout HubConfiguration) -> Void = { _ in },
        _ body: @Sendable (HubFixture) async throws -> Value
    ) async throws -> Value {
        let temporary = try TemporaryFolder()
        let folder = DataFolder(temporary.path)
        try await prepare(folder)
        return try await running(
            folder, faults: faults, storageFaults: storageFaults, limits: limits, attemptRefill: attemptRefill,
            rest: rest, change: change, body)
    }

    /// Sets up a hub in a folder.
    static func prepare(_ folder: DataFolder) async throws {
        _ = try await HubSetup(folder: folder, names: ["localhost"], account: "me", channel: "general").run(
            opening: SQLiteHubStorage.open)
    }

    /// Runs a hub on a folder that is set up already.
    static func running<Value: Sendable>(
        _ folder: DataFolder, port: Int = 0, opening: HubStorageOpening? = nil, blobs: (any BlobStorage)? = nil,
        faults: HubFaults? = nil,
        storageFaults: StorageFaults? = nil, limits: ConnectionLimits = .patient,
        attemptRefill: Duration? = nil, rest: Duration? = nil,
        change: @Sendable (inout HubConfiguration) -> Void = { _ in },
        _ body: @Sendable (HubFixture) async throws -> Value
    ) async throws -> Value {
        let token = try token(in: folder)
        var configuration = HubConfiguration(folder: folder, port: port, security: .plainOnLoopback)
        configuration.limits = limits
        // A test that does not expect them reads no ping of a busy machine.
        configuration.sockets.pingInterval = .seconds(3_600)
        // A delivery waits for the one before it, however long that takes on a busy machine.
        configuration.predecessorWait = .seconds(3_600)
        if let attemptRefill { configuration.attemptRefill = attemptRefill }
        if let rest { configuration.rest = rest }
        change(&configuration)
        let log = LogRecorder()
        let sqlite: HubStorageOpening = { path, isNew, logger throws(HubStorageError) in
            try SQLiteHubStorage(path: path, creating: isNew, faults: storageFaults, logger: logger)
        }
        return try await HubService.running(
            configuration, opening: opening ?? sqlite, blobs: blobs, faults: faults, logger: log.logger
        ) { hub in
            let client = HubClient(port: try await hub.port(), token: token)
            let fixture = HubFixture(hub: hub, client: client, folder: folder, log: log)
            return try await Eventually.ends { try await body(fixture) }
        }
    }

    /// Silent: tests read responses, not logs.
    static var logger: Logger { Logger(label: "hub") { _ in SwiftLogNoOpLogHandler() } }
}

extension ConnectionLimits {
    /// The hub's, without its bounds on time: on a busy machine a test may take long between connecting and sending.
    static let patient = {
        var limits = ConnectionLimits.hub
        limits.firstHeader = .seconds(3_600)
        limits.body = .seconds(3_600)
        limits.response = .seconds(3_600)
        limits.idle = .seconds(3_600)
        return limits
    }()
}

extension HubConfiguration {
    /// The same without time limits that a busy machine could exceed.
    var patient: HubConfiguration {
        var configuration = self
        configuration.limits = .patient
        return configuration
    }
}

extension DataFolder {
    /// Opens the hub's database, also while a hub uses it.
    func openDatabase() throws -> DatabaseQueue {
        var configuration = Configuration()
        configuration.busyMode = .timeout(30)
        return try DatabaseQueue(path: database, configuration: configuration)
    }

    /// Restores a backup. No hub may be running.
    func replaceDatabase(with backup: String) throws {
        for suffix in ["", "-wal", "-shm"] where FileManager.default.fileExists(atPath: database + suffix) {
            try FileManager.default.removeItem(atPath: database + suffix)
        }
        try FileManager.default.copyItem(atPath: backup, toPath: database)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: database)
    }
}
