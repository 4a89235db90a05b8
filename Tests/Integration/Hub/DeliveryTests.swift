import CausewayHub
import CausewayModels
import CausewayWire
import Testing

/// The ordered idempotent batch contract, over real HTTP.
@Suite struct DeliveryTests {
    @Test(arguments: HubFixture.StorageKind.allCases)
    func messagesGetPlacesInOrder(kind: HubFixture.StorageKind) async throws {
        try await HubFixture.running(on: kind) { hub in
            let report = try await hub.client.report(delivery([send(1), send(2), send(3)]))
            #expect(report.kinds == [.accepted, .accepted, .accepted])
            #expect(report.positions == [1, 2, 3])
            #expect(report.mark == 3)
            let messages = try await hub.client.messages()
            #expect(messages.map(\.id) == [id(1), id(2), id(3)])
            #expect(messages.map(\.content) == [.text("message 1"), .text("message 2"), .text("message 3")])
            #expect(messages.map(\.sender.value) == ["me", "me", "me"])
            #expect(messages.map(\.createdAt.milliseconds) == [1001, 1002, 1003])
        }
    }

    @Test(arguments: HubFixture.StorageKind.allCases)
    func aRepeatIsAnsweredWithTheStoredResult(kind: HubFixture.StorageKind) async throws {
        try await HubFixture.running(on: kind) { hub in
            let first = try await hub.client.report(delivery([send(1), send(2)]))
            let again = try await hub.client.report(delivery([send(1), send(2), send(3)]))
            #expect(Array(again.results.prefix(2)) == first.results)
            #expect(again.results[2].position == 3)
            #expect(try await hub.client.messages().count == 3)
        }
    }

    @Test(arguments: HubFixture.StorageKind.allCases)
    func aRepeatKeepsTheFirstContentUnderAUsedId(kind: HubFixture.StorageKind) async throws {
        try await HubFixture.running(on: kind) { hub in
            let first = try await hub.client.report(delivery([send(1)]))
            let again = try await hub.client.report(delivery([send(1, content: .text("something else"))]))
            #expect(again.results == first.results)
            #expect(try await hub.client.messages().map(\.content) == [.text("message 1")])
        }
    }

    @Test(arguments: HubFixture.StorageKind.allCases)
    func aResendUnderANewSequenceIsNoSecondCopy(kind: HubFixture.StorageKind) async throws {
        try await HubFixture.running(on: kind) { hub in
            let first = try await hub.client.report(delivery([send(1), send(2)]))
            let again = try await hub.client.report(delivery([send(3, 1)]))
            #expect(again.results == [first.results[0]])
            #expect(again.mark == 3)
            #expect(try await hub.client.messages().count == 2)
        }
    }

    @Test(arguments: HubFixture.StorageKind.allCases)
    func oneIdTwiceInOneDeliveryIsOneMessage(kind: HubFixture.StorageKind) async throws {
        try await HubFixture.running(on: kind) { hub in
            let report = try await hub.client.report(delivery([send(1, 5), send(2, 5)]))
            #expect(report.results[0] == report.results[1])
            #expect(try await hub.client.messages().count == 1)
        }
    }

    @Test(arguments: HubFixture.StorageKind.allCases)
    func aGapIsAnsweredWithTheMarkAndNothingIsApplied(kind: HubFixture.StorageKind) async throws {
        try await HubFixture.running(on: kind) { hub in
            _ = try await hub.client.report(delivery([send(1)]))
            let report = try await hub.client.report(delivery([send(3), send(4)]))
            #expect(report.kinds == [.gap, .notAttempted])
            #expect(report.results[0].mark == 1)
            #expect(report.mark == 1)
            let whole = try await hub.client.report(delivery([send(2), send(3), send(4)]))
            #expect(whole.positions == [2, 3, 4])
        }
    }

    @Test(arguments: HubFixture.StorageKind.allCases)
    func aMessageDeletedBeforeItLeftIsNoGap(kind: HubFixture.StorageKind) async throws {
        try await HubFixture.running(on: kind) { hub in
            let report = try await hub.client.report(delivery([send(1), send(4, after: 1), send(9, after: 4)]))
            #expect(report.positions == [1, 2, 3])
            #expect(report.mark == 9)
        }
    }

    @Test(arguments: HubFixture.StorageKind.allCases)
    func aLateCopyIsRefusedForEver(kind: HubFixture.StorageKind) async throws {
        try await HubFixture.running(on: kind) { hub in
            _ = try await hub.client.report(delivery([send(1), send(5, after: 1)]))
            let late = try await hub.client.report(delivery([send(3, after: 1)]))
            #expect(late.kinds == [.late])
            #expect(late.results[0].mark == 5)
            #expect(try await hub.client.messages().count == 2)
        }
    }

    @Test(arguments: HubFixture.StorageKind.allCases)
    func aFenceBarsTheLateCopy(kind: HubFixture.StorageKind) async throws {
        try await HubFixture.running(on: kind) { hub in
            _ = try await hub.client.report(delivery([send(1)]))
            #expect(try await hub.client.report(delivery([fence(2)])).kinds == [.fenced])
            #expect(try await hub.client.report(delivery([send(2)])).kinds == [.late])
            #expect(try await hub.client.report(delivery([fence(2)])).kinds == [.fenced])
            // Under a new sequence, after the verdict, its owner may resend it.
            #expect(try await hub.client.report(delivery([send(3, 2)])).positions == [2])
        }
    }

    @Test(arguments: HubFixture.StorageKind.allCases)
    func aFenceForWhatArrivedTellsItsPlace(kind: HubFixture.StorageKind) async throws {
        try await HubFixture.running(on: kind) { hub in
            let sent = try await hub.client.report(delivery([send(1)]))
            #expect(try await hub.client.report(delivery([fence(1)])).results == sent.results)
        }
    }

    @Test(arguments: HubFixture.StorageKind.allCases)
    func aRefusalInsideABatchGoesOn(kind: HubFixture.StorageKind) async throws {
        try await HubFixture.running(on: kind) { hub in
            let report = try await hub.client.report(
                delivery([send(1), send(2, channel: "nowhere"), send(3, content: .text("")), send(4)]))
            #expect(report.kinds == [.accepted, .refused, .refused, .accepted])
            #expect(report.results[1].code == "channelNotFound")
            #expect(report.results[2].code == "contentInvalid")
            #expect(report.positions == [1, nil, nil, 2])
            #expect(report.mark == 4)
            // A repeat gets the same response, although refusals are not remembered.
            let again = try await hub.client.report(
                delivery([send(1), send(2, channel: "nowhere"), send(3, content: .text("")), send(4)]))
            #expect(again == report)
        }
    }

    @Test func tryLaterStopsTheDeliveryThere() async throws {
        let faults = HubFaults()
        try await HubFixture.running(faults: faults) { hub in
            faults.inject(.tryLater(fromSequence: 2, after: .milliseconds(1500)), times: 1)
            let report = try await hub.client.report(delivery([send(1), send(2), send(3)]))
            #expect(report.kinds == [.accepted, .tryLater, .notAttempted])
            #expect(report.results[1].retryAfterMilliseconds == 1500)
            #expect(report.mark == 1)
            let rest = try await hub.client.report(delivery([send(2), send(3)]))
            #expect(rest.positions == [2, 3])
        }
    }

    @Test(arguments: HubFixture.StorageKind.allCases)
    func lanesDoNotWaitForEachOther(kind: HubFixture.StorageKind) async throws {
        try await HubFixture.running(on: kind) { hub async throws in
            #expect(try await hub.client.report(delivery([send(7)], lane: .media)).kinds == [.gap])
            #expect(try await hub.client.report(delivery([send(1, 10)], lane: .media)).mark == 1)
            #expect(try await hub.client.report(delivery([send(1, 11)], lane: .text)).mark == 1)
            #expect(try await hub.client.report(delivery([send(2, 12)], lane: .media)).mark == 2)
        }
    }

    @Test(arguments: HubFixture.StorageKind.allCases)
    func anOlderEpochIsSuperseded(kind: HubFixture.StorageKind) async throws {
        try await HubFixture.running(on: kind) { hub in
            _ = try await hub.client.report(delivery([send(1)], epoch: 2))
            let old = try await hub.client.deliver(delivery([send(2)], epoch: 1))
            #expect(old.status == 409)
            #expect(old.errorCode == "superseded")
            #expect(try await hub.client.messages().count == 1)
            // Also in another lane, and for an operation that would only be a repeat.
            #expect(try await hub.client.deliver(delivery([send(1, 9)], epoch: 1, lane: .media)).status == 409)
            #expect(try await hub.client.deliver(delivery([send(1)], epoch: 1)).status == 409)
            // An empty delivery suffices to claim a newer epoch.
            #expect(try await hub.client.report(delivery([], epoch: 3)).mark == 1)
            #expect(try await hub.client.deliver(delivery([send(2)], epoch: 2)).status == 409)
        }
    }

    @Test(arguments: HubFixture.StorageKind.allCases)
    func aCopiedStoreIsToldSoAndNothingOfItIsApplied(kind: HubFixture.StorageKind) async throws {
        try await HubFixture.running(on: kind) { hub in
            let first = try await hub.client.report(delivery([send(1)], opening: 1))
            #expect(first.opening == opening(1))
            _ = try await hub.client.report(delivery([send(2)], epoch: 2, opening: 2, after: [1], base: 1))
            let copy = try await hub.client.deliver(delivery([send(2, 22)], epoch: 2, opening: 3, after: [1]))
            #expect(copy.status == 409)
            #expect(copy.errorCode == "storeForked")
            #expect(try await hub.client.messages().map(\.id) == [id(1), id(2)])
            // It continues under a new outbox id, and so does the other one.
            let anew = delivery([send(1, 2), send(2, 22)], outbox: 2, epoch: 2, opening: 3, after: [1])
            #expect(try await hub.client.report(anew).kinds == [.accepted, .accepted])
            _ = try await hub.client.report(delivery([send(3)], epoch: 2, opening: 2))
            #expect(try await hub.client.messages().map(\.id) == [id(1), id(2), id(22), id(3)])
        }
    }

    @Test(arguments: HubFixture.StorageKind.allCases)
    func aCopyTakenInTheMiddleOfAnOpeningIsBarredInAllLanes(kind: HubFixture.StorageKind) async throws {
        try await HubFixture.running(on: kind) { hub in
            _ = try await hub.client.report(delivery([send(1), send(2)], opening: 1))
            let other = delivery([send(1, 9)], epoch: 2, opening: 2, after: [1], base: 0, lane: .media)
            _ = try await hub.client.report(other)
            let copy = delivery([send(2, 22)], epoch: 2, opening: 2, after: [1], base: 1)
            #expect(try await hub.client.deliver(copy).errorCode == "storeForked")
            let late = delivery([send(2, 10)], epoch: 2, opening: 2, after: [1], base: 0, lane: .media)
            #expect(try await hub.client.deliver(late).errorCode == "storeForked")
            #expect(try await hub.client.messages().map(\.id) == [id(1), id(2), id(9)])
        }
    }

    /// Both copies have the opening 1. This one transmitted its sequence 4 in the opening 2, of which nothing arrived:
    /// its base covers everything that the other one has delivered.
    @Test(
        arguments: HubFixture.StorageKind.allCases,
        [
            (operation: send(4, after: 2), isCopy: true), (operation: send(3, 33), isCopy: true),
            (operation: send(3), isCopy: false), (operation: send(4, after: 3), isCopy: false),
        ])
    func aMarkThatAStoreCannotHaveMovedRevealsACopy(
        kind: HubFixture.StorageKind, step: (operation: WireOperation, isCopy: Bool)
    ) async throws {
        try await HubFixture.running(on: kind) { hub in
            _ = try await hub.client.report(delivery([send(1), send(2)], opening: 1))
            _ = try await hub.client.report(delivery([send(3)], opening: 1))
            let own = delivery([step.operation], epoch: 3, opening: 3, after: [2, 1], base: 4)
            let response = try await hub.client.deliver(own)
            #expect(response.errorCode == (step.isCopy ? "storeForked" : nil))
            let repeated = delivery([send(3)], epoch: 3, opening: 3, after: [2, 1], base: 4)
            #expect(try await hub.client.deliver(repeated).errorCode == (step.isCopy ? "storeForked" : nil))
        }
    }

    @Test(arguments: HubFixture.StorageKind.allCases)
    func accountsDoNotMixUnderOneOutboxId(kind: HubFixture.StorageKind) async throws {
        try await HubFixture.running(on: kind) { hub in
            let other = try await hub.client(of: "other")
            _ = try await hub.client.report(delivery([send(1), send(2)], epoch: 5))
            let report = try await other.report(delivery([send(1, 100)], epoch: 1))
            #expect(report.kinds == [.accepted])
            #expect(report.mark == 1)
            #expect(try await hub.client.report(delivery([send(3)], epoch: 5)).kinds == [.accepted])
        }
    }

    @Test(arguments: HubFixture.StorageKind.allCases)
    func anIdOfAnotherAccountIsTaken(kind: HubFixture.StorageKind) async throws {
        try await HubFixture.running(on: kind) { hub in
            let other = try await hub.client(of: "other")
            _ = try await hub.client.report(delivery([send(1)]))
            let report = try await other.report(delivery([send(1), send(2, 22)]))
            #expect(report.kinds == [.refused, .accepted])
            #expect(report.results[0].code == "idTaken")
            // The placement of the other account's message is not revealed.
            #expect(report.results[0].position == nil)
            #expect(try await other.report(delivery([fence(3, 1)])).kinds == [.fenced])
        }
    }
}
