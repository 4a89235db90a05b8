import CausewayModels
import CausewayWire
import Testing

@Suite struct DeletionTests {
    @Test func aDeletedMessageIsGoneAndStaysGone() async throws {
        try await HubFixture.running { hub in
            let sent = try await hub.client.report(delivery([send(1), send(2)]))
            #expect(try await hub.client.report(delivery([delete(3, 1)])).kinds == [.deleted])
            #expect(try await hub.client.messages().map(\.id) == [id(2)])
            let one = try await hub.client.get(WireProtocol.messagePath(id(1).description))
            #expect(one.status == 404)
            #expect(one.errorCode == "messageDeleted")
            // A repeat of the old send is answered as ever, and brings nothing back.
            #expect(try await hub.client.report(delivery([send(1)])).results == [sent.results[0]])
            #expect(try await hub.client.report(delivery([send(4, 1)])).results == [sent.results[0]])
            #expect(try await hub.client.messages().map(\.id) == [id(2)])
            // Its place is not given to another.
            #expect(try await hub.client.report(delivery([send(5, 50)])).positions == [3])
        }
    }

    @Test func deletingAgainIsDeleted() async throws {
        try await HubFixture.running { hub in
            _ = try await hub.client.report(delivery([send(1), delete(2, 1)]))
            #expect(try await hub.client.report(delivery([delete(2, 1), delete(3, 1)])).kinds == [.deleted, .deleted])
        }
    }

    @Test func deletingWhatNeverArrivedIsDeletedAndBarsTheLateCopy() async throws {
        try await HubFixture.running { hub async throws in
            #expect(try await hub.client.report(delivery([delete(2, after: 0, 1)])).kinds == [.deleted])
            #expect(try await hub.client.report(delivery([send(1)])).kinds == [.late])
            #expect(try await hub.client.messages().isEmpty)
        }
    }

    @Test func aDeletionBelowTheMarkDeletes() async throws {
        try await HubFixture.running { hub in
            _ = try await hub.client.report(delivery([send(1), send(5, after: 1)]))
            #expect(try await hub.client.report(delivery([delete(3, after: 1, 1)])).kinds == [.deleted])
            #expect(try await hub.client.messages().map(\.id) == [id(5)])
        }
    }

    @Test func onlyTheSenderDeletes() async throws {
        try await HubFixture.running { hub in
            let other = try await hub.client(of: "other")
            _ = try await hub.client.report(delivery([send(1)]))
            let report = try await other.report(delivery([delete(1, 1), send(2, 20)]))
            #expect(report.kinds == [.refused, .accepted])
            #expect(report.results[0].code == "notYours")
            #expect(try await hub.client.messages().map(\.id) == [id(1), id(20)])
        }
    }
}
