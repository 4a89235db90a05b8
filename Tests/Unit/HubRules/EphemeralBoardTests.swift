import CausewayHubRules
import CausewayModels
import Testing

/// The hub's typing and presence.
@Suite struct EphemeralBoardTests {
    static func limits(_ change: (inout EphemeralBoard.Limits) -> Void = { _ in }) -> EphemeralBoard.Limits {
        var limits = EphemeralBoard.Limits(
            channelsMax: 100, typingMax: 100, typingPerAccountMax: 100, typingPerChannelMax: 100, presentMax: 100,
            presentPerChannelMax: 100, presentChannelsMax: 100, typingLife: .seconds(6), presenceGrace: .seconds(30))
        change(&limits)
        return limits
    }

    static func channel(_ name: String) -> ChannelID {
        guard let id = ChannelID(name) else { preconditionFailure("a valid name") }
        return id
    }

    static func user(_ name: String) -> UserID {
        guard let user = UserID(name) else { preconditionFailure("a valid name") }
        return user
    }

    static func signal(
        _ user: String, _ sequence: Int64, in channel: String = "general", device: String = "desk",
        _ isTyping: Bool = true
    ) -> EphemeralSignal {
        EphemeralSignal(
            channel: Self.channel(channel), user: Self.user(user), device: device, sequence: sequence,
            isTyping: isTyping)
    }

    static func at(_ seconds: Int64) -> MonotonicTime { .zero + .seconds(seconds) }

    /// The states as text: `general: ann ann|bob` for one who types and two who are present.
    static func text(_ part: EphemeralBoard.Part) -> [String] {
        part.states.map { state in
            let typing = state.typing.map(\.user.value).joined(separator: "|")
            let present = state.present.map(\.value).joined(separator: "|")
            return "\(state.channel): \(typing) \(present)"
        }
    }

    static func read(
        _ board: EphemeralBoard, after seen: Int64? = nil, at seconds: Int64 = 0, bytesMax: Int = 100_000,
        only channel: String? = nil
    ) -> EphemeralBoard.Part {
        board.read(after: seen, at: at(seconds), bytesMax: bytesMax) { $0.value == channel ?? $0.value }
    }

    // MARK: - Typing

    @Test func aSignalLastsForAWhile() {
        var board = EphemeralBoard(Self.limits())
        #expect(board.receive(Self.signal("ann", 1), at: Self.at(0)) == .latest(isChange: true))
        let part = Self.read(board, at: 2)
        #expect(part.isComplete && part.states.first?.typing.first?.remaining == .seconds(4))
        #expect(Self.text(Self.read(board, at: 5)) == ["general: ann "])
        #expect(Self.read(board, at: 6).states.isEmpty, "ended, and not removed yet")
        #expect(board.receive(Self.signal("ann", 2), at: Self.at(5)) == .latest(isChange: true))
        board.removeExpired(at: Self.at(7))
        #expect(Self.text(Self.read(board, at: 10)) == ["general: ann "], "repeated")
        board.removeExpired(at: Self.at(11))
        #expect(Self.read(board, at: 11).states.isEmpty)
    }

    @Test func theLatestSignalOfADeviceWins() {
        var board = EphemeralBoard(Self.limits())
        // In the order of their arrival: the end before the beginning.
        #expect(board.receive(Self.signal("ann", 2, false), at: Self.at(0)) == .latest(isChange: false))
        #expect(board.receive(Self.signal("ann", 1), at: Self.at(0)) == .superseded)
        #expect(board.receive(Self.signal("ann", 2), at: Self.at(0)) == .superseded)
        #expect(Self.read(board).states.isEmpty)
        #expect(board.receive(Self.signal("ann", 3), at: Self.at(0)) == .latest(isChange: true))
        #expect(board.receive(Self.signal("ann", 4, false), at: Self.at(0)) == .latest(isChange: true))
        #expect(Self.read(board).states.isEmpty)
    }

    @Test func oneDeviceDoesNotEndTheTypingOfAnother() {
        var board = EphemeralBoard(Self.limits())
        _ = board.receive(Self.signal("ann", 1), at: Self.at(0))
        _ = board.receive(Self.signal("ann", 1, device: "phone"), at: Self.at(1))
        let both = Self.read(board, at: 2)
        #expect(both.states.first?.typing.map(\.remaining) == [.seconds(5)], "once, for the longer time")
        _ = board.receive(Self.signal("ann", 2, false), at: Self.at(2))
        #expect(Self.text(Self.read(board, at: 2)) == ["general: ann "])
        let seen = board.position
        let changes = (0..<2).map { _ in board.endTyping(of: Self.user("ann"), in: Self.channel("general")) }
        #expect(changes == [true, false])
        #expect(Self.read(board, at: 2).states.isEmpty, "a message ends it on all devices")
        #expect(Self.text(Self.read(board, after: seen, at: 2)) == ["general:  "], "its readers are told")
    }

    /// However many channels an account leaves at once.
    @Test func typingEndsInTheChannelsThatAnAccountHasLeft() {
        var board = EphemeralBoard(Self.limits())
        for name in ["a", "b", "c"] { _ = board.receive(Self.signal("ann", 1, in: name), at: Self.at(0)) }
        _ = board.receive(Self.signal("ann", 2, in: "c", false), at: Self.at(0))
        _ = board.receive(Self.signal("bob", 1, in: "a"), at: Self.at(0))
        let left = Set((["b", "c"] + (0..<1_000).map { "other\($0)" }).map(Self.channel))
        let changed = board.endTyping(of: Self.user("ann"), in: left)
        #expect(changed == [Self.channel("b")], "one in which it was typing")
        #expect(Self.text(Self.read(board)) == ["a: ann|bob "])
        let next = board.receive(Self.signal("ann", 2, in: "b"), at: Self.at(1))
        #expect(next == .latest(isChange: true))
    }

    @Test func signalsAreBounded() {
        var board = EphemeralBoard(
            Self.limits { limits in
                limits.typingMax = 5
                limits.typingPerAccountMax = 3
                limits.typingPerChannelMax = 2
                limits.channelsMax = 4
            })
        func receive(_ user: String, in channel: String, _ second: Int64 = 0, _ sequence: Int64 = 1) -> Bool {
            board.receive(Self.signal(user, sequence, in: channel), at: Self.at(second)) == .latest(isChange: true)
        }
        #expect(receive("ann", in: "a") && receive("bob", in: "a"))
        #expect(!receive("eve", in: "a"), "in a channel")
        #expect(receive("ann", in: "b") && receive("ann", in: "c"))
        #expect(!receive("ann", in: "d"), "of an account")
        #expect(receive("ann", in: "c", 0, 2), "a known one has its place")
        #expect(receive("bob", in: "d"))
        #expect(!receive("bob", in: "e") && !receive("eve", in: "b"), "channels, and in all")
        #expect(receive("eve", in: "e", 6) && receive("bob", in: "a", 6), "what has ended makes room")
    }

    /// Ten thousand channels, and as many signals for each as an account may send: what is kept does not grow.
    @Test func aFloodIsBounded() {
        var board = EphemeralBoard(
            Self.limits { limits in
                limits.channelsMax = 50
                limits.typingMax = 40
            })
        for number in 0..<20_000 {
            let signal = Self.signal("u\(number % 500)", Int64(number), in: "c\(number % 10_000)")
            _ = board.receive(signal, at: .zero + .milliseconds(number))
        }
        #expect(board.counts.typing <= 40 && board.counts.channels <= 50)
        #expect(board.counts.changes <= 2 * 50 + 64 && board.counts.expiries <= 2 * 40 + 64)
    }

    // MARK: - Presence

    @Test func anAccountIsPresentForAWhileAfterItsLastReader() {
        var board = EphemeralBoard(Self.limits())
        board.arrive(Self.user("ann"), in: [Self.channel("a"), Self.channel("b")])
        #expect(Self.text(Self.read(board)) == ["a:  ann", "b:  ann"])
        #expect(board.takePresenceChanges() == [Self.channel("a"), Self.channel("b")])
        board.depart(Self.user("ann"), at: Self.at(0))
        board.removeExpired(at: Self.at(29))
        board.arrive(Self.user("ann"), in: [Self.channel("a"), Self.channel("b")])
        board.removeExpired(at: Self.at(100))
        #expect(Self.read(board).states.count == 2 && board.takePresenceChanges().isEmpty)
        board.depart(Self.user("ann"), at: Self.at(100))
        board.removeExpired(at: Self.at(129))
        #expect(Self.read(board).states.count == 2)
        board.removeExpired(at: Self.at(130))
        #expect(Self.read(board).states.isEmpty)
        #expect(board.takePresenceChanges() == [Self.channel("a"), Self.channel("b")])
    }

    @Test func presenceFollowsMemberships() {
        var board = EphemeralBoard(Self.limits())
        board.arrive(Self.user("ann"), in: [Self.channel("a"), Self.channel("b")])
        board.withdraw(Self.user("ann"), from: [Self.channel("a")])
        #expect(Self.text(Self.read(board)) == ["b:  ann"])
        board.arrive(Self.user("ann"), in: [Self.channel("b"), Self.channel("c")])
        #expect(Self.text(Self.read(board)) == ["b:  ann", "c:  ann"])
        _ = board.takePresenceChanges()
        board.withdraw(Self.user("ann"), from: [Self.channel("a")])
        let changes = board.takePresenceChanges()
        #expect(changes.isEmpty, "it was not there")
        board.arrive(Self.user("ann"), in: [Self.channel("c")])
        #expect(Self.text(Self.read(board)) == ["c:  ann"], "the channels that it has left")
        board.withdraw(Self.user("ann"))
        #expect(Self.read(board).states.isEmpty)
    }

    /// Its memberships may have changed, and turn out to be the same.
    @Test func anAccountIsPresentAgainAfterAChangeOfItsMemberships() {
        var board = EphemeralBoard(Self.limits())
        let channels = [Self.channel("a"), Self.channel("b")]
        board.arrive(Self.user("ann"), in: channels)
        board.withdraw(Self.user("ann"), from: [Self.channel("a")])
        board.arrive(Self.user("ann"), in: channels)
        #expect(Set(Self.text(Self.read(board))) == ["a:  ann", "b:  ann"])
    }

    @Test func presentAccountsAreBoundedInAll() {
        var board = EphemeralBoard(Self.limits { $0.presentMax = 2 })
        for name in ["ann", "bob", "eve"] { board.arrive(Self.user(name), in: [Self.channel("a")]) }
        #expect(Self.text(Self.read(board)) == ["a:  ann|bob"])
        // One that is known may change its channels, and one that leaves makes room.
        board.arrive(Self.user("bob"), in: [Self.channel("b")])
        board.withdraw(Self.user("ann"))
        board.arrive(Self.user("eve"), in: [Self.channel("b")])
        #expect(Self.text(Self.read(board)) == ["b:  bob|eve"])
        #expect(board.counts.present == 2)
    }

    @Test func presenceIsBounded() {
        var board = EphemeralBoard(
            Self.limits { limits in
                limits.presentMax = 3
                limits.presentPerChannelMax = 2
                limits.presentChannelsMax = 2
            })
        let channels = ["a", "b", "c"].map(Self.channel)
        for name in ["ann", "bob", "eve", "joe"] { board.arrive(Self.user(name), in: channels) }
        #expect(Self.text(Self.read(board)) == ["a:  ann|bob", "b:  ann|bob"])
        board.withdraw(Self.user("ann"))
        board.arrive(Self.user("eve"), in: channels)
        #expect(Self.text(Self.read(board)) == ["a:  bob|eve", "b:  bob|eve"])
    }

    // MARK: - Reading

    @Test func aReaderIsSentWhatHasChanged() {
        var board = EphemeralBoard(Self.limits())
        _ = board.receive(Self.signal("ann", 1, in: "a"), at: Self.at(0))
        _ = board.receive(Self.signal("ann", 2, in: "b"), at: Self.at(0))
        let first = Self.read(board)
        #expect(Self.text(first) == ["a: ann ", "b: ann "] && first.isComplete)
        let nothing = Self.read(board, after: first.position)
        #expect(nothing.states.isEmpty && !nothing.isComplete && nothing.position == first.position)
        _ = board.receive(Self.signal("ann", 3, in: "a", false), at: Self.at(1))
        let second = Self.read(board, after: first.position, at: 1)
        #expect(Self.text(second) == ["a:  "] && !second.isComplete, "an end is a state")
        #expect(Self.read(board, after: first.position, at: 1, only: "b").states.isEmpty, "of another channel")
        #expect(Self.read(board, after: 1000).isComplete, "a position that does not exist")
    }

    @Test func partsAreBounded() {
        var board = EphemeralBoard(Self.limits())
        for number in 10..<60 { _ = board.receive(Self.signal("ann", Int64(number), in: "c\(number)"), at: Self.at(0)) }
        var seen: Int64?
        var names: [String] = []
        var parts = 0
        while seen != board.position {
            let part = Self.read(board, after: seen, bytesMax: 500)
            #expect(part.states.reduce(0) { $0 + $1.bytes } <= 500 && part.isComplete == (seen == nil))
            names += part.states.map(\.channel.value)
            seen = part.position
            parts += 1
            #expect(part.hasMore == (names.count < 50))
        }
        #expect(names == (10..<60).map { "c\($0)" } && parts > 5)
        #expect(Self.read(board, bytesMax: 1).states.count == 1, "a single state is always sent")
    }

    /// A reader that has missed the end of a channel that was forgotten since gets everything anew.
    @Test func aReaderFromBeforeWhatWasForgottenGetsAll() {
        var board = EphemeralBoard(Self.limits { $0.channelsMax = 2 })
        _ = board.receive(Self.signal("ann", 1, in: "a"), at: Self.at(0))
        let seen = Self.read(board).position
        _ = board.receive(Self.signal("ann", 2, in: "a", false), at: Self.at(1))
        _ = board.receive(Self.signal("ann", 3, in: "b"), at: Self.at(5))
        let late = Self.read(board, at: 5).position
        _ = board.receive(Self.signal("ann", 4, in: "c"), at: Self.at(8))
        #expect(Self.read(board, after: seen, at: 8).isComplete)
        #expect(!Self.read(board, after: late, at: 8).isComplete)
    }
}
