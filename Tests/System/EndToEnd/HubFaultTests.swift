import Causeway
import CausewayHub
import CausewayModels
import CausewayTestSupport
import Testing

/// The client's behaviour with a real hub that fails.
@Suite struct HubFaultTests {
    @Test func aHubThatIsBusyForEver() async throws {
        try await RealWorld.run(on: .file) { world in
            try await world.withClient { client in
                world.faults.inject(.respond(status: 503, code: "busy"), times: 4)
                let first = try await client.messages.createTextMessage("first", in: world.general)
                let second = try await client.messages.createTextMessage("second", in: world.general)
                await #expect(throws: DeliveryError.self) { try await first.delivered() }
                let failed = try await client.messages.storedMessage(first.id)
                #expect(failed?.syncState == .error)
                #expect(failed?.attempts == 4)
                #expect(failed?.failure?.reason == .retriesUsedUp)
                _ = try await second.delivered()
                #expect(try await world.onTheHub().map(\.id) == [second.id])
            }
        }
    }

    @Test func aRefusedTokenAndANewLogin() async throws {
        try await RealWorld.run { world in
            try await world.withClient { client in
                world.faults.inject(.respond(status: 401, code: "tokenRefused"), on: .everything)
                let handle = try await client.messages.createTextMessage("hi", in: world.general)
                try await Eventually.holds("the status says so") {
                    try await client.status().actionRequired?.cause == .tokenRefused
                }
                #expect(try await client.messages.storedMessage(handle.id)?.syncState == .created)
                guard case .actionRequired = try await client.messages.outbox().items.first?.wait else {
                    Issue.record("the message does not say that the token is refused")
                    return
                }
                world.faults.clear()
                try await client.login(server: world.address, token: try world.token())
                _ = try await handle.delivered()
                #expect(try await client.messages.failedMessages().messages.isEmpty)
            }
        }
    }

    @Test func aRequestThatIsRefused() async throws {
        try await RealWorld.run(on: .file) { world in
            try await world.withClient { client in
                world.faults.inject(.respond(status: 400, code: "noSuchThing"), times: 1)
                let handle = try await client.messages.createTextMessage("hi", in: world.general)
                await #expect(throws: DeliveryError.self) { try await handle.delivered() }
                let failure = try await client.messages.storedMessage(handle.id)?.failure
                #expect(failure?.reason == .refused)
                #expect(failure?.code == "noSuchThing")
            }
        }
    }

    @Test func anUnknownChannelIsRefusedWithTheHubsReasonAndTheNextGoes() async throws {
        try await RealWorld.run { world in
            try await world.withClient { client in
                let nowhere = try #require(ChannelID("nowhere"))
                let first = try await client.messages.createTextMessage("1", in: nowhere)
                let second = try await client.messages.createTextMessage("2", in: world.general)
                await #expect(throws: DeliveryError.self) { try await first.delivered() }
                #expect(try await client.messages.storedMessage(first.id)?.failure?.code == "channelNotFound")
                _ = try await second.delivered()
            }
        }
    }

    @Test func aRateLimitIsObeyedAndUsesUpNoRetry() async throws {
        try await RealWorld.run(on: .file) { world in
            try await world.withClient { client in
                world.faults.inject(.respond(status: 429, code: "slowDown", retryAfter: "1"), times: 5)
                let handle = try await client.messages.createTextMessage("hi", in: world.general)
                try await Eventually.holds("it says why it waits") {
                    if case .rateLimited = try await client.messages.outbox().items.first?.wait { true } else { false }
                }
                _ = try await handle.delivered()
                #expect(try await client.messages.storedMessage(handle.id)?.attempts == 1)
                #expect(world.faults.deliveriesSeen == 6)
            }
        }
    }

    @Test func aLostAcknowledgement() async throws {
        try await RealWorld.run { world in
            try await world.withClient { client in
                var handles: [MessageHandle] = []
                for round in 1...2 {
                    // The first delivery of each round is applied and not acknowledged. The client learns of it by the
                    // hub's events or by sending it again, whichever comes first, so that no more is known than this.
                    world.faults.inject(.cutAfter, times: 1)
                    for number in 1...10 {
                        let text = "\(round), \(number)"
                        handles.append(try await client.messages.createTextMessage(text, in: world.general))
                    }
                    for handle in handles { _ = try await handle.delivered() }
                    #expect(world.faults.deliveriesSeen >= round)
                }
                #expect(try await world.onTheHub().map(\.id) == handles.map(\.id))
                #expect(try await client.status().counts.undelivered == 0)
            }
        }
    }

    @Test func anAcknowledgementThatIsLostEveryTimeIsFoundOutInTheEnd() async throws {
        try await RealWorld.run(on: .file) { world in
            try await world.withClient { client in
                world.faults.inject(.cutAfter, times: 4)
                let handle = try await client.messages.createTextMessage("hi", in: world.general)
                // In doubt after four attempts; then the hub is asked, and has it.
                #expect(try await handle.delivered().position == 1)
                #expect(try await client.messages.storedMessage(handle.id)?.syncState == .synced)
                #expect(try await world.onTheHub().count == 1)
            }
        }
    }

    @Test func aCaptivePortalUsesUpNothingThatMatters() async throws {
        try await RealWorld.run { world in
            try await world.withClient { client in
                world.faults.inject(.foreignPage(status: 200), on: .everything)
                let handle = try await client.messages.createTextMessage("hi", in: world.general)
                try await Eventually.holds("it says that it is offline") {
                    if case .offline = try await client.messages.outbox().items.first?.wait { true } else { false }
                }
                world.faults.clear()
                _ = try await handle.delivered()
                #expect(try await world.onTheHub().count == 1)
            }
        }
    }

    @Test func deletionsReachTheHub() async throws {
        try await RealWorld.run(on: .file) { world in
            try await world.withClient { client in
                let first = try await client.messages.createTextMessage("1", in: world.general)
                let second = try await client.messages.createTextMessage("2", in: world.general)
                _ = try await first.delivered()
                try await client.messages.softDeleteMessage(first.id)
                _ = try await second.delivered()
                try await Eventually.holds("the hub shows it no more") {
                    try await world.onTheHub().map(\.id) == [second.id]
                }
            }
        }
    }
}
