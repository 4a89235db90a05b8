import CausewayHub
import CausewayHubSQLite
import CausewayTestSupport
import CausewayWire
import Foundation
import Testing

/// Deliveries that wait for the disk leave the threads that serve all requests free.
@Suite struct DeliveryThreadTests {
    /// One hub for each of these threads: if a delivery waited on one of them, none would be left.
    private static let hubCount = ProcessInfo.processInfo.activeProcessorCount

    @Test func aDeliveryThatWaitsStopsNoOtherRequest() async throws {
        let faults = (0..<Self.hubCount).map { _ in StorageFaults() }
        let watch = RuntimeWatch()
        try await run(with: faults) { hubs in
            try await withThrowingTaskGroup(of: [Int64?].self) { deliveries in
                for (hub, faults) in zip(hubs, faults) {
                    faults.holdNextDelivery()
                    deliveries.addTask { try await hub.client.report(delivery([send(1)])).positions }
                }
                defer { for faults in faults { faults.releaseDelivery() } }
                for faults in faults { try await Eventually.holds("a delivery waits") { faults.isHoldingDelivery } }
                for hub in hubs {
                    #expect(try await hub.client.messages().isEmpty)
                    watch.note()
                }
                for faults in faults { faults.releaseDelivery() }
                for try await positions in deliveries { #expect(positions == [1]) }
            }
        }
        watch.end()
    }

    private func run(
        with faults: [StorageFaults], _ hubs: [HubFixture] = [],
        _ body: @Sendable @escaping ([HubFixture]) async throws -> Void
    ) async throws {
        if hubs.count == faults.count { return try await body(hubs) }
        try await HubFixture.running(storageFaults: faults[hubs.count]) { hub in
            try await run(with: faults, hubs + [hub], body)
        }
    }
}
