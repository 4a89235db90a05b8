import CausewayHub
import CausewayModels
import CausewayTestSupport
import CausewayWire
import Synchronization
import Testing

/// Deliveries of one lane that are under way at the same time, on connections of their own.
@Suite struct PipelineTests {
    /// Five deliveries of two messages each, sent at once, in every rotation of their order.
    @Test(arguments: HubFixture.StorageKind.allCases)
    func deliveriesAreAppliedInOrderWhateverTheOrderOfTheirArrival(kind: HubFixture.StorageKind) async throws {
        try await HubFixture.running(on: kind) { hub in
            for first in 0..<5 {
                let lane = LaneID(rawValue: "lane \(first)")
                let reports = try await withThrowingTaskGroup(of: (Int, WireReport).self) { group in
                    for offset in 0..<5 {
                        let index = (first + offset) % 5
                        let sequence = Int64(2 * index + 1)
                        let numbers = [sequence, sequence + 1].map { UInt64(100 * first) + UInt64($0) }
                        let body = delivery(
                            [send(sequence, numbers[0]), send(sequence + 1, numbers[1])], lane: lane,
                            isPipelined: index > 0)
                        group.addTask { (index, try await hub.client.report(body)) }
                    }
                    return try await group.reduce(into: [Int: WireReport]()) { $0[$1.0] = $1.1 }
                }
                for index in 0..<5 {
                    #expect(reports[index]?.kinds == [.accepted, .accepted], "delivery \(index)")
                    #expect(
                        reports[index]?.positions == [1, 2].map { Int64(10 * first + 2 * index + $0) },
                        "delivery \(index)")
                }
            }
        }
    }

    @Test func aDeliveryWhosePredecessorNeverArrivesIsAnsweredAfterAWhile() async throws {
        let change: @Sendable (inout HubConfiguration) -> Void = { $0.predecessorWait = .milliseconds(20) }
        try await HubFixture.running(change: change) { hub in
            let report = try await hub.client.report(delivery([send(2), send(3)], isPipelined: true))
            #expect(report.kinds == [.gap, .notAttempted])
            #expect(report.mark == 0)
            // It changed nothing, and can be sent again behind its predecessor.
            #expect(try await hub.client.report(delivery([send(1)])).kinds == [.accepted])
            let again = try await hub.client.report(delivery([send(2), send(3)]))
            #expect(again.positions == [2, 3])
        }
    }

    @Test func aDeliveryBehindOneThatWasStoppedDoesNotWait() async throws {
        let change: @Sendable (inout HubConfiguration) -> Void = { $0.predecessorWait = .seconds(3600) }
        try await HubFixture.running(change: change) { hub in
            let isDone = Flag()
            let second = Task {
                defer { isDone.raise() }
                return try await hub.client.report(delivery([send(7)], isPipelined: true))
            }
            // The first one may arrive before the second: it is sent until that one has its response.
            try await Eventually.holds("the second delivery is answered") {
                let first = try await hub.client.report(delivery([send(6)]))
                #expect(first.kinds == [.gap])
                return isDone.isRaised
            }
            #expect(try await second.value.kinds == [.gap])
        }
    }

    @Test func anEarlierDeliveryThatIsRepeatedReleasesNobodyTwice() async throws {
        try await HubFixture.running { hub in
            async let third = hub.client.report(delivery([send(3)], isPipelined: true))
            async let second = hub.client.report(delivery([send(2)], isPipelined: true))
            let first = try await hub.client.report(delivery([send(1)]))
            let again = try await hub.client.report(delivery([send(1)]))
            #expect(first.results == again.results)
            #expect(try await second.positions == [2])
            #expect(try await third.positions == [3])
            #expect(try await hub.client.messages().count == 3)
        }
    }
}

private final class Flag: Sendable {
    private let value = Mutex(false)

    var isRaised: Bool { value.withLock { $0 } }

    func raise() { value.withLock { $0 = true } }
}
