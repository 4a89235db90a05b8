import CausewayHub
import CausewayTestSupport
import Logging

/// A real hub in this process, which can be ended and started again on its port and its data.
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

    /// - Parameter prepare: done with the hub's store before anybody comes.
    func start(_ prepare: @Sendable (HubStore) async throws -> Void = { _ in }) async throws {
        var logger = Logger(label: "hub")
        logger.logLevel = .critical
        let hub = try await made(logger)
        try await reserved.waitUntilFree()
        try await prepare(hub.store)
        running = Task {
            // The way a cancelled server ends is of no interest; one that cannot begin is found out below.
            try? await hub.run()
        }
        _ = try await hub.port()
    }

    /// The one before may hold the folder until the last of its connections has let go of it.
    private func made(_ logger: Logger) async throws -> HubService {
        var hub: HubService?
        try await Eventually.holds("the folder of the hub is free") {
            do throws(HubError) {
                hub = try HubService(.secure(folder, port: port), faults: faults, logger: logger)
            } catch {
                guard case .inUse = error else { throw error }
            }
            return hub != nil
        }
        guard let hub else { throw CancellationError() }
        return hub
    }

    func stop() async {
        running?.cancel()
        await running?.value
        running = nil
    }
}
