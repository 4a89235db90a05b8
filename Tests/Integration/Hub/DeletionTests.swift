import CausewayHub
import CausewayHubStorage
import CausewayModels
import CausewayWire
import Testing

@Suite struct DeletionTests {
    @Test(arguments: HubFixture.StorageKind.allCases)
    func aDeletedMessageIsGoneAndStaysGone(kind: HubFixture.StorageKind) async throws {
        try await HubFixture.running(on: kind) { hub in
            let sent = try await hub.client.report(delivery([send(1), send(2)]))
            #expect(try await hub.client.report(delivery([delete(3, 1)])).kinds == [.deleted])
            #expect(try await hub.client.messages().map(\.id) == [id(2)])
            let one = try await hub.client.get(WireProtocol.messagePath(id(1).description))
            #expect(one.status == 404)
            #expect(one.errorCode == "messageDeleted")
            // A repeat of the old send gets the same response, with the deletion, and restores nothing.
            var repeated = sent.results[0]
            #expect(repeated.isDeleted == nil)
            repeated.isDeleted = true
            #expect(try await hub.client.report(delivery([send(1)])).results == [repeated])
            #expect(try await hub.client.report(delivery([send(4, 1)])).results == [repeated])
            #expect(try await hub.client.messages().map(\.id) == [id(2)])
            // Its position is not assigned again.
            #expect(try await hub.client.report(delivery([send(5, 50)])).positions == [3])
        }
    }

    /// Pages list deleted messages on request, and events have their tombstones; requests of older clients get none.
    @Test(arguments: HubFixture.StorageKind.allCases)
    func tombstonesAreListedOnRequest(kind: HubFixture.StorageKind) async throws {
        try await HubFixture.running(on: kind) { hub in
            _ = try await hub.client.report(delivery([send(1), send(2), send(3)]))
            let cursor = try await hub.client.eventCursor()
            #expect(try await hub.client.report(delivery([delete(4, 2)])).kinds == [.deleted])
            let path = WireProtocol.messagesPath("general")
            for query in ["", "?deleted=0"] {
                let answer = try await hub.client.get(path + query)
                let page = try answer.decoded(WirePage.self)
                #expect(page.messages.map(\.id) == [id(1), id(3)] && page.deleted == nil)
                #expect(!answer.text.contains("deleted"))
            }
            let page = try await hub.client.get(path + "?deleted=1").decoded(WirePage.self)
            #expect(page.messages.map(\.id) == [id(1), id(3)] && page.range == 1..<4 && !page.hasMore)
            let left = try #require(page.deleted?.first)
            #expect(page.deleted?.count == 1 && left.id == id(2) && left.position == 2)
            #expect(left.channel == page.messages[0].channel && left.sender == page.messages[0].sender)
            #expect(left.type == nil && left.parent == nil && left.deletedAt >= left.acceptedAt)
            // They count for the limit, and a page may consist of them.
            let part = try await hub.client.get(path + "?deleted=1&limit=1&before=3").decoded(WirePage.self)
            #expect(part.messages.isEmpty && part.deleted == [left] && part.hasMore && part.range == 2..<3)
            let events = try await hub.client.allEvents(after: cursor).events.filter {
                $0.kind == WireEvents.messageKind
            }
            #expect(events.map(\.id) == [id(2).description] && events.map(\.value) == [nil])
            #expect(events.map(\.deleted) == [left])
            // Not for those who may not read the channel.
            let stranger = try await hub.client(of: "stranger", isMember: false)
            #expect(try await stranger.get(path + "?deleted=1").status == 404)
            #expect(try await hub.client.get(path + "?deleted=x").status == 400)
        }
    }

    @Test(arguments: HubFixture.StorageKind.allCases)
    func deletingAgainIsDeleted(kind: HubFixture.StorageKind) async throws {
        try await HubFixture.running(on: kind) { hub in
            _ = try await hub.client.report(delivery([send(1), delete(2, 1)]))
            #expect(try await hub.client.report(delivery([delete(2, 1), delete(3, 1)])).kinds == [.deleted, .deleted])
        }
    }

    @Test(arguments: HubFixture.StorageKind.allCases)
    func deletingWhatNeverArrivedIsDeletedAndBarsTheLateCopy(kind: HubFixture.StorageKind) async throws {
        try await HubFixture.running(on: kind) { hub async throws in
            #expect(try await hub.client.report(delivery([delete(2, after: 0, 1)])).kinds == [.deleted])
            #expect(try await hub.client.report(delivery([send(1)])).kinds == [.late])
            #expect(try await hub.client.messages().isEmpty)
        }
    }

    /// Two copies of one store: one deletes a message that the other one has yet to deliver, in an outbox of its own.
    @Test(arguments: HubFixture.StorageKind.allCases)
    func whatWasDeletedBeforeItArrivedIsStoredAsDeleted(kind: HubFixture.StorageKind) async throws {
        try await HubFixture.running(on: kind) { hub in
            #expect(try await hub.client.report(delivery([delete(1, 1)])).kinds == [.deleted])
            let report = try await hub.client.report(delivery([send(1, 1), send(2, 2)], outbox: 7))
            #expect(report.kinds == [.accepted, .accepted])
            #expect(report.results.map(\.isDeleted) == [true, nil])
            #expect(report.positions == [1, 2])
            #expect(try await hub.client.messages().map(\.id) == [id(2)])
            let page = try await hub.client.get(WireProtocol.messagesPath("general") + "?deleted=1")
            #expect(try page.decoded(WirePage.self).deleted?.map(\.id) == [id(1)])
            let one = try await hub.client.get(WireProtocol.messagePath(id(1).description))
            #expect(one.errorCode == "messageDeleted")
        }
    }

    @Test(arguments: HubFixture.StorageKind.allCases)
    func aDeletionAheadIsOnlyForItsOwnAccount(kind: HubFixture.StorageKind) async throws {
        try await HubFixture.running(on: kind) { hub in
            let other = try await hub.client(of: "other")
            #expect(try await other.report(delivery([delete(1, 1)])).kinds == [.deleted])
            #expect(try await hub.client.report(delivery([send(1)])).kinds == [.accepted])
            #expect(try await hub.client.messages().map(\.id) == [id(1)])
        }
    }

    @Test(arguments: HubFixture.StorageKind.allCases)
    func earlyDeletionsAreBoundedAndTheOldestGo(kind: HubFixture.StorageKind) async throws {
        try await HubFixture.running(on: kind) { hub in
            // More than the limit of an account, in full deliveries.
            let count = UInt64(HubStorageLimits.earlyDeletionsPerAccountMax + 1000)
            var last: Int64 = 0
            for first in stride(from: 10, to: 10 + count, by: 1000) {
                let operations = (first..<first + 1000).map { number in
                    defer { last += 1 }
                    return delete(last + 1, after: last, number)
                }
                _ = try await hub.client.report(delivery(operations))
            }
            let report = try await hub.client.report(delivery([send(1, 10), send(2, 10 + count - 1)], outbox: 7))
            #expect(report.kinds == [.accepted, .accepted])
            #expect(try await hub.client.messages().map(\.id) == [id(10)])
        }
    }

    @Test(arguments: HubFixture.StorageKind.allCases)
    func aDeletionBelowTheMarkDeletes(kind: HubFixture.StorageKind) async throws {
        try await HubFixture.running(on: kind) { hub in
            _ = try await hub.client.report(delivery([send(1), send(5, after: 1)]))
            #expect(try await hub.client.report(delivery([delete(3, after: 1, 1)])).kinds == [.deleted])
            #expect(try await hub.client.messages().map(\.id) == [id(5)])
        }
    }

    @Test(arguments: HubFixture.StorageKind.allCases)
    func onlyTheSenderDeletes(kind: HubFixture.StorageKind) async throws {
        try await HubFixture.running(on: kind) { hub in
            let other = try await hub.client(of: "other")
            _ = try await hub.client.report(delivery([send(1)]))
            let report = try await other.report(delivery([delete(1, 1), send(2, 20)]))
            #expect(report.kinds == [.refused, .accepted])
            #expect(report.results[0].code == "notYours")
            #expect(try await hub.client.messages().map(\.id) == [id(1), id(20)])
        }
    }
}
