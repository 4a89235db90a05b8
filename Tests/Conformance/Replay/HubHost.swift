import CausewayHub
import CausewayHubSQLite
import CausewayTestSupport
import Logging

/// A real hub in this process, which can be stopped and restarted on its port and its data.
actor HubHost {
    private let folder: DataFolder
    private let faults: HubFaults
    private var running: Task<Void, Never>?
    private let reserved: ReservedPort

    nonisolated var port: Int { reserved.number }

    init(_ folder: DataFolder, faults: HubFaults) throws {
        reserved = try ReservedPort()
        self.folder = folder
        self.faults = faults
    }

    /// - Parameter prepare: prepares the hub before any client connects.
    func start(_ prepare: @Sendable (HubAdministration) async throws -> Void = { _ in }) async throws {
        var logger = Logger(label: "hub")
        logger.logLevel = .critical
        let hub = try await HubService(
            .secure(folder, port: port), opening: SQLiteHubStorage.open, faults: faults, logger: logger)
        try await reserved.waitUntilFree()
        try await prepare(hub.administration)
        running = Task {
            // The outcome of a cancelled server does not matter; one that cannot start is detected below.
            try? await hub.run()
        }
        _ = try await hub.port()
    }

    func stop() async {
        running?.cancel()
        await running?.value
        running = nil
    }
}
