import CausewayHub
import CausewayHubRules
import CausewayHubStorage
import CausewayModels
import CausewayRecords
import Testing

/// Typing signals, and changes of memberships at the same moment.
@Suite struct EventNotifierTests {
    private struct Refused: Error {}

    private static let storage = MemoryHubStorage(
        hub: Array(repeating: 1, count: 16), sealKey: Array(repeating: 2, count: 32),
        history: Array(repeating: 3, count: 16))

    private static func notifier() -> EventNotifier { EventNotifier(.hub, .hub, now: { .zero }) }

    private static func signal(_ sequence: Int64) throws -> EphemeralSignal {
        EphemeralSignal(
            channel: try #require(ChannelID("general")), user: try #require(UserID("bob")), device: "desk",
            sequence: sequence, isTyping: true)
    }

    /// As the hub publishes that bob is removed, or gets another role.
    private static func publishChange(_ notifier: EventNotifier) async throws {
        let topics: Set<LogTopic> = [
            .channel(try #require(ChannelID("general"))), .account(try #require(UserID("bob"))),
        ]
        await notifier.publish(topics, in: storage)
    }

    /// The rights were read before the removal, and the signal is shown after it.
    @Test func aMemberThatIsRemovedMeanwhileIsNotShown() async throws {
        let notifier = Self.notifier()
        let signal = try Self.signal(1)
        var (checks, isRefused) = (0, false)
        do {
            _ = try await notifier.receive(signal) {
                checks += 1
                guard checks == 1 else { throw Refused() }
                try await Self.publishChange(notifier)
            }
        } catch is Refused {
            isRefused = true
        }
        #expect(checks == 2 && isRefused)
    }

    @Test func aMemberWhoseRoleChangesMeanwhileIsShown() async throws {
        let notifier = Self.notifier()
        var checks = 0
        let outcome = try await notifier.receive(try Self.signal(1)) {
            checks += 1
            if checks == 1 { try await Self.publishChange(notifier) }
        }
        #expect(checks == 2 && outcome == .latest(isChange: true))
        let next = try await notifier.receive(try Self.signal(2)) { checks += 1 }
        #expect(checks == 3 && next == .latest(isChange: true), "no change since")
    }

    /// Its topics are registered for a while, and another process, of which the hub hears nothing, changes them.
    @Test func changesOfAnAccountWithoutReadersAreFound() async throws {
        let storage = MemoryHubStorage(
            hub: Array(repeating: 1, count: 16), sealKey: Array(repeating: 2, count: 32),
            history: Array(repeating: 3, count: 16))
        try await storage.beginOpening(Array(repeating: 4, count: 16))
        let notifier = Self.notifier()
        let bob = try #require(UserID("bob"))
        let session = try #require(
            notifier.enter(bob, from: "peer", topics: nil, outbox: nil, readsEphemeral: false))
        try await session.prepare(storage)
        session.leave()
        await notifier.check(storage)
        #expect(notifier.knowsTopics(of: bob), "they wait for the next reader")
        let key = RecordKey(kind: ChannelMember.kind, id: "general/bob")
        let isChanged = try await storage.changeRecords(loading: RecordKeys()) { _ in
            let row = RecordRow(key: key, version: 1, value: nil)
            let change = RecordChange(row: row, entries: [], topics: [.account(bob)], isNew: true)
            return RecordDecision(changes: [key: change], value: true)
        }
        await notifier.check(storage)
        #expect(isChanged && !notifier.knowsTopics(of: bob), "the next reader registers them anew")
    }

    /// Changes without end do not keep a request without end.
    @Test func aSignalIsDroppedWhenMembershipsChangeAllTheTime() async throws {
        let notifier = Self.notifier()
        var checks = 0
        let outcome = try await notifier.receive(try Self.signal(1)) {
            checks += 1
            try await Self.publishChange(notifier)
        }
        #expect(outcome == nil && checks == HubLimits.typingChecksMax)
        let next = try await notifier.receive(try Self.signal(1)) {}
        #expect(next == .latest(isChange: true), "nothing of it was kept")
    }
}
