import CausewayModels
import CausewaySync
import CausewayTransport
import Testing

/// A client's view of ephemeral events, and its choice of reports of typing.
@Suite struct EphemeralCacheTests {
    static func channel(_ name: String) -> ChannelID {
        guard let id = ChannelID(name) else { preconditionFailure("a valid name") }
        return id
    }

    static func user(_ name: String) -> UserID {
        guard let user = UserID(name) else { preconditionFailure("a valid name") }
        return user
    }

    private static let general = channel("general")

    private static func at(_ seconds: Int64) -> MonotonicTime { .zero + .seconds(seconds) }

    private static func update(
        _ typing: [String: Int64], present: [String] = [], in channel: ChannelID = general, isComplete: Bool = false
    ) -> EphemeralUpdate {
        EphemeralUpdate(
            channels: [
                EphemeralUpdate.Channel(
                    channel: channel,
                    typing: typing.map { EphemeralUpdate.Typing(user: user($0.key), remaining: .seconds($0.value)) },
                    present: present.map(user))
            ], isComplete: isComplete)
    }

    private static func names(_ users: [UserID]) -> [String] { users.map(\.value) }

    @Test func theLatestStateOfAChannelWins() {
        var cache = EphemeralCache()
        #expect(cache.apply(Self.update(["bob": 6, "ann": 3], present: ["eve"]), at: Self.at(0)) == [Self.general])
        #expect(Self.names(cache.typing(in: Self.general, at: Self.at(2))) == ["ann", "bob"])
        #expect(Self.names(cache.present(in: Self.general)) == ["eve"])
        #expect(Self.names(cache.typing(in: Self.general, at: Self.at(3))) == ["bob"], "ended, and not removed yet")
        #expect(cache.nextDeadline == Self.at(3))
        #expect(cache.removeExpired(at: Self.at(3)) == [Self.general] && cache.nextDeadline == Self.at(6))
        #expect(cache.removeExpired(at: Self.at(4)).isEmpty)
        _ = cache.apply(Self.update([:]), at: Self.at(4))
        #expect(cache.typing(in: Self.general, at: Self.at(4)).isEmpty && cache.present(in: Self.general).isEmpty)
        #expect(cache.nextDeadline == nil)
    }

    @Test func aCompleteUpdateReplacesEverything() {
        var cache = EphemeralCache()
        let other = Self.channel("other")
        _ = cache.apply(Self.update(["ann": 6], in: other), at: Self.at(0))
        _ = cache.apply(Self.update(["bob": 6]), at: Self.at(0))
        #expect(!cache.typing(in: other, at: Self.at(0)).isEmpty, "another channel is left as it is")
        #expect(cache.apply(Self.update(["bob": 6], isComplete: true), at: Self.at(0)) == [Self.general, other])
        #expect(cache.typing(in: other, at: Self.at(0)).isEmpty)
        #expect(cache.remove(Self.general) == [Self.general] && cache.remove(Self.general).isEmpty)
        #expect(cache.clear().isEmpty && cache == EphemeralCache())
    }

    /// A server that sends too much, and values that never end.
    @Test func whatAServerSendsIsBounded() {
        var cache = EphemeralCache()
        let names = Dictionary(uniqueKeysWithValues: (0..<1000).map { ("u\($0)", Int64.max / 4) })
        _ = cache.apply(Self.update(names, present: Array(names.keys)), at: Self.at(0))
        #expect(cache.typing(in: Self.general, at: Self.at(0)).count == 200)
        #expect(cache.present(in: Self.general).count == 200)
        #expect(cache.typing(in: Self.general, at: Self.at(30)).isEmpty)
        var shown = 0
        for number in 0..<12_000 {
            let channel = Self.channel("c\(number)")
            _ = cache.apply(Self.update([:], present: ["ann"], in: channel), at: Self.at(0))
            if !cache.present(in: channel).isEmpty { shown += 1 }
        }
        #expect(shown < 10_000)
    }

    // MARK: - Sending

    @Test func aBeginningIsSentEveryThreeSeconds() {
        var throttle = TypingThrottle()
        func report(_ isTyping: Bool, _ milliseconds: Int, in channel: ChannelID = Self.general) -> Int64? {
            throttle.report(isTyping, in: channel, at: .zero + .milliseconds(milliseconds))
        }
        #expect(report(false, 0) == nil, "nothing has begun")
        #expect(report(true, 0) == 1)
        #expect(report(true, 10) == nil && report(true, 2999) == nil)
        #expect(report(true, 10, in: Self.channel("other")) == 2, "another channel")
        #expect(report(true, 3000) == 3)
        #expect(report(false, 3100) == 4 && report(false, 3200) == nil)
        #expect(report(true, 3300) == nil && report(true, 6000) == 5, "an end does not shorten the interval")
    }

    @Test func theChannelsOfOneUserAreBounded() {
        var throttle = TypingThrottle()
        let sent = (0..<10_000).compactMap { throttle.report(true, in: Self.channel("c\($0)"), at: Self.at(0)) }
        #expect(sent.count == 32)
        #expect(throttle.report(true, in: Self.channel("c9999"), at: Self.at(3)) == 33)
    }
}
