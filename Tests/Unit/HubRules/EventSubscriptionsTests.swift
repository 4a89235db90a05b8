import CausewayHubRules
import CausewayModels
import Testing

/// Which readers a change wakes.
@Suite struct EventSubscriptionsTests {
    private static let ann = user("ann")
    private static let bob = user("bob")
    private static let general = topic("general")
    private static let second = topic("second")

    private static func user(_ name: String) -> UserID {
        guard let user = UserID(name) else { preconditionFailure("a valid name") }
        return user
    }

    private static func topic(_ name: String) -> LogTopic {
        guard let id = ChannelID(name) else { preconditionFailure("a valid name") }
        return .channel(id)
    }

    private static func subscriptions(
        readers: Int = 10, perAccount: Int = 10, perPeer: Int = 10, idleTopics: Int = 10
    ) -> EventSubscriptions {
        EventSubscriptions(
            .init(
                readersMax: readers, perAccountMax: perAccount, perPeerMax: perPeer, idleTopicsMax: idleTopics,
                idleTime: .seconds(60)))
    }

    /// `#require` does not take a call that mutates.
    private static func required<Value>(_ value: Value?) throws -> Value { try #require(value) }

    /// A reader whose account's topics are registered.
    private static func enter(
        _ user: UserID, _ topics: Set<LogTopic>, only: Set<LogTopic>? = nil, _ subscriptions: inout EventSubscriptions
    ) throws -> EventSubscriptions.ReaderID {
        let id = try Self.required(subscriptions.enter(user, from: "peer", topics: only))
        if let generation = subscriptions.prepare(id) {
            subscriptions.register(topics, of: user, generation: generation)
        }
        return id
    }

    /// A reader must not take what it reads then for all that there is.
    @Test func aChangeOfMembershipsForgetsTheTopicsUntilTheyAreRegisteredAgain() throws {
        var subscriptions = Self.subscriptions()
        let id = try Self.enter(Self.ann, [Self.general], &subscriptions)
        #expect(subscriptions.isRegistered(id) && subscriptions.reads(id, Self.general))
        _ = subscriptions.publish(.account(Self.ann))
        #expect(!subscriptions.isRegistered(id) && !subscriptions.reads(id, Self.general))
        #expect(subscriptions.isSignaled(id))
        let generation = try Self.required(subscriptions.prepare(id))
        subscriptions.register([Self.second], of: Self.ann, generation: generation)
        #expect(subscriptions.isRegistered(id) && !subscriptions.reads(id, Self.general))
        subscriptions.leave(id, at: .zero)
        #expect(!subscriptions.isRegistered(id))
    }

    @Test func aChangeWakesTheReadersOfItsTopic() throws {
        var subscriptions = Self.subscriptions()
        let first = try Self.enter(Self.ann, [Self.general], &subscriptions)
        let second = try Self.enter(Self.bob, [Self.general, Self.second], &subscriptions)
        #expect(subscriptions.publish(Self.second) == [second])
        #expect(Set(subscriptions.publish(Self.general)) == [first], "one that is signaled is not woken again")
        #expect(subscriptions.isSignaled(first) && subscriptions.isSignaled(second))
        #expect(subscriptions.publish(Self.topic("third")) == [])
        #expect(subscriptions.prepare(first) == nil && !subscriptions.isSignaled(first))
        #expect(subscriptions.publish(Self.general) == [first])
    }

    @Test func aReaderIsNotWokenByItsOwnOutbox() throws {
        var subscriptions = Self.subscriptions()
        let own = OutboxID(UUIDv7(high: 0x7000, low: 1 << 63))
        let other = OutboxID(UUIDv7(high: 0x7000, low: 1 << 63 | 1))
        let reader = try Self.required(subscriptions.enter(Self.ann, from: "peer", topics: nil, outbox: own))
        let generation = try Self.required(subscriptions.prepare(reader))
        subscriptions.register([Self.general], of: Self.ann, generation: generation)
        let second = try Self.enter(Self.ann, [Self.general], &subscriptions)
        let third = try Self.enter(Self.bob, [Self.general], &subscriptions)
        subscriptions.reach(7, reader)
        #expect(
            Set(subscriptions.publish(Self.general, by: .init(account: Self.ann, outbox: own))) == [second, third],
            "another reader of the account has another outbox")
        #expect(!subscriptions.isSignaled(reader))
        // The next look at the log names no origin.
        #expect(subscriptions.publish(Self.general, at: 7) == [], "it has read the position")
        #expect(subscriptions.publish(Self.general, at: 8) == [reader])
        _ = subscriptions.prepare(reader)
        #expect(
            subscriptions.publish(Self.general, by: .init(account: Self.bob, outbox: own)) == [reader],
            "an outbox belongs to its account")
        _ = subscriptions.prepare(reader)
        #expect(subscriptions.publish(Self.general, by: .init(account: Self.ann, outbox: other)) == [reader])
        _ = subscriptions.prepare(reader)
        #expect(
            subscriptions.publish(.account(Self.ann), by: .init(account: Self.ann, outbox: own)).contains(reader),
            "its rights may have changed")
    }

    @Test func aReaderOfSomeTopicsIsWokenByThemAndItsOwn() throws {
        var subscriptions = Self.subscriptions()
        let id = try Self.enter(Self.ann, [Self.general, Self.second], only: [Self.second], &subscriptions)
        #expect(subscriptions.publish(Self.general) == [])
        #expect(subscriptions.publish(Self.second) == [id])
        _ = subscriptions.prepare(id)
        #expect(subscriptions.publish(.account(Self.bob)) == [])
        #expect(subscriptions.publish(.account(Self.ann)) == [id])
    }

    @Test func aReaderThatHasReadAChangeIsNotWoken() throws {
        var subscriptions = Self.subscriptions()
        let id = try Self.enter(Self.ann, [Self.general], &subscriptions)
        subscriptions.reach(5, id)
        #expect(subscriptions.publish(Self.general, at: 5) == [])
        #expect(subscriptions.publish(Self.general, at: 6) == [id])
    }

    /// It would wait without topics, and no change of a channel would wake it any more.
    @Test func aChangeOfTheAccountWakesAReaderThatHasReadIt() throws {
        var subscriptions = Self.subscriptions()
        let id = try Self.enter(Self.ann, [Self.general], &subscriptions)
        subscriptions.reach(5, id)
        let woken = subscriptions.publish(.account(Self.ann), at: 5)
        #expect(woken == [id])
        let generation = try Self.required(subscriptions.prepare(id))
        subscriptions.register([Self.general], of: Self.ann, generation: generation)
        let next = subscriptions.publish(Self.general, at: 6)
        #expect(next == [id])
    }

    /// The memberships may have changed: they are registered anew, before the account reads again.
    @Test func aChangeOfTheAccountForgetsItsTopics() throws {
        var subscriptions = Self.subscriptions()
        let id = try Self.enter(Self.ann, [Self.general], &subscriptions)
        #expect(subscriptions.publish(.account(Self.ann)) == [id])
        #expect(subscriptions.topicCount == 0)
        let generation = try Self.required(subscriptions.prepare(id))
        // The next change comes while the topics are being read.
        #expect(subscriptions.publish(.account(Self.ann)) == [id])
        subscriptions.register([Self.general], of: Self.ann, generation: generation)
        #expect(subscriptions.topicCount == 0 && subscriptions.isSignaled(id))
        let next = try Self.required(subscriptions.prepare(id))
        subscriptions.register([Self.second], of: Self.ann, generation: next)
        #expect(subscriptions.publish(Self.general) == [])
        #expect(subscriptions.publish(Self.second) == [id])
    }

    @Test func readersAreLimited() throws {
        func entered(_ subscriptions: EventSubscriptions) -> [Bool] {
            var subscriptions = subscriptions
            return [(Self.ann, "a"), (Self.ann, "a"), (Self.bob, "a"), (Self.bob, "b")].map {
                subscriptions.enter($0, from: $1, topics: nil) != nil
            }
        }
        #expect(entered(Self.subscriptions(readers: 3)) == [true, true, true, false])
        #expect(entered(Self.subscriptions(perAccount: 1)) == [true, false, true, false])
        #expect(entered(Self.subscriptions(perPeer: 1)) == [true, false, false, true])
        var subscriptions = Self.subscriptions(readers: 1)
        let id = try Self.required(subscriptions.enter(Self.ann, from: "a", topics: nil))
        subscriptions.leave(id, at: .zero)
        #expect(subscriptions.count == 0 && subscriptions.enter(Self.bob, from: "a", topics: nil) != nil)
    }

    @Test func topicsStayForAReaderThatReturns() throws {
        var subscriptions = Self.subscriptions(idleTopics: 5)
        let id = try Self.enter(Self.ann, [Self.general], &subscriptions)
        subscriptions.leave(id, at: .zero)
        let next = try Self.required(subscriptions.enter(Self.ann, from: "peer", topics: nil))
        #expect(subscriptions.prepare(next) == nil, "they are registered")
        #expect(subscriptions.publish(Self.general) == [next])
        subscriptions.leave(next, at: .zero)
        // Not for ever, and not too many.
        subscriptions.removeIdle(at: .zero + .seconds(59))
        #expect(subscriptions.topicCount == 2)
        let many = try Self.enter(Self.bob, Set((0..<4).map { Self.topic("c\($0)") }), &subscriptions)
        subscriptions.leave(many, at: .zero)
        #expect(subscriptions.topicCount == 2)
        subscriptions.removeIdle(at: .zero + .seconds(60))
        #expect(subscriptions.topicCount == 0)
        #expect(subscriptions.publish(Self.general) == [])
        let last = try Self.required(subscriptions.enter(Self.ann, from: "peer", topics: nil))
        #expect(subscriptions.prepare(last) != nil, "they are forgotten")
    }

    /// A change of an account without readers, whose topics are still registered.
    @Test func aChangeOfAnIdleAccountForgetsItsTopics() throws {
        var subscriptions = Self.subscriptions(idleTopics: 2)
        let id = try Self.enter(Self.ann, [Self.general], &subscriptions)
        subscriptions.leave(id, at: .zero)
        #expect(subscriptions.publish(.account(Self.ann)) == [] && subscriptions.topicCount == 0)
        // Their room is free again.
        let other = try Self.enter(Self.bob, [Self.general], &subscriptions)
        subscriptions.leave(other, at: .zero)
        #expect(subscriptions.topicCount == 2)
    }

    // MARK: - Ephemeral events

    @Test func ephemeralEventsWakeThoseWhoReadThem() throws {
        var subscriptions = Self.subscriptions()
        _ = try Self.enter(Self.ann, [Self.general], &subscriptions)
        let id = try Self.required(
            subscriptions.enter(Self.bob, from: "peer", topics: nil, readsEphemeral: true))
        #expect(subscriptions.presentChannels(of: Self.bob) == nil, "its topics are not known")
        let generation = try Self.required(subscriptions.prepare(id))
        let channel = try #require(ChannelID("general"))
        subscriptions.register([Self.general], channels: [channel], of: Self.bob, generation: generation)
        #expect(subscriptions.presentChannels(of: Self.bob) == [channel])
        #expect(subscriptions.presentChannels(of: Self.ann) == nil, "it does not read them")
        #expect(subscriptions.reads(id, Self.general) && !subscriptions.reads(id, Self.second))
        #expect(subscriptions.publishEphemeral(Self.general) == [id])
        #expect(subscriptions.publishEphemeral(Self.general) == [], "signaled already")
        #expect(subscriptions.publish(.account(Self.bob)) == [])
        #expect(subscriptions.presentChannels(of: Self.bob) == nil && !subscriptions.reads(id, Self.general))
        subscriptions.leave(id, at: .zero)
        #expect(!subscriptions.readsEphemeral(Self.bob))
    }
}
