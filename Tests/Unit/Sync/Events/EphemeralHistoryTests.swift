import CausewayHubRules
import CausewayModels
import CausewaySync
import CausewayTransport
import Testing

/// Random histories of typing and presence from the hub's board to the clients' caches, over a network that delays
/// signals and loses connections; what each client shows is compared with an independent account of what is true.
@Suite struct EphemeralHistoryTests {
    @Test func whatClientsShowIsTrue() {
        var shown = 0
        for seed in 1...40 as ClosedRange<UInt64> {
            var history = EphemeralHistory(seed: seed, fault: nil)
            let problem = history.run()
            #expect(problem == nil, "seed \(seed)")
            shown += history.shown
        }
        #expect(shown > 1_000, "the histories show too little")
    }

    @Test(arguments: EphemeralHistory.Fault.allCases) func aFaultIsFound(_ fault: EphemeralHistory.Fault) {
        let found = (1...200 as ClosedRange<UInt64>).contains { seed in
            var history = EphemeralHistory(seed: seed, fault: fault)
            return history.run() != nil
        }
        #expect(found)
    }
}

/// One random history.
struct EphemeralHistory {
    /// A mistake in the hub or a client.
    enum Fault: CaseIterable, Sendable {
        /// A client shows a value for as long as no other replaces it.
        case neverExpires
        /// A client counts the life of a value from when it reads next, not from when it arrived.
        case expiresLate
        /// The hub sends the channels of everybody to everybody.
        case noRights
        /// The hub asks for the rights when a reader connects.
        case rightsOfTheBeginning
        /// The hub takes signals in the order of their arrival.
        case arrivalWins
        /// A client goes on showing what it knew while it is not connected.
        case keepsWhenCut
        /// A reader names a position before it has applied what belongs to it, and the connection is cut in between.
        case positionBeforeState
        /// A reader that connects anew continues from its old position, without its old state.
        case continuesAfterCut
        /// The hub remembers nothing of an end that overtook its beginning.
        case forgetsEnds
    }

    private struct Client {
        var cache = EphemeralCache()
        var seen: Int64?
        var isConnected = false
        var rights: Set<ChannelID> = []
    }

    private struct Truth {
        var sequence: Int64
        var isTyping: Bool
        var end: MonotonicTime
    }

    private let fault: Fault?
    private var random: SplitMix64
    private var board: EphemeralBoard
    private var now = MonotonicTime.zero
    private var clients: [UserID: Client] = [:]
    private var members: [ChannelID: Set<UserID>] = [:]
    private var sequences: [UserID: Int64] = [:]
    /// Signals that have not arrived.
    private var underWay: [EphemeralSignal] = []
    /// The latest signal of each user in each channel that has arrived.
    private var typing: [ChannelID: [UserID: Truth]] = [:]
    private(set) var shown = 0

    private static let users = ["ann", "bob", "eve", "joe"].map(EphemeralCacheTests.user)
    private static let channels = ["a", "b", "c"].map(EphemeralCacheTests.channel)
    private static let life: Duration = .seconds(6)

    init(seed: UInt64, fault: Fault?) {
        self.fault = fault
        random = SplitMix64(seed: seed)
        board = EphemeralBoard(
            EphemeralBoard.Limits(
                channelsMax: 100, typingMax: 1000, typingPerAccountMax: 1000, typingPerChannelMax: 1000,
                presentMax: 100, presentPerChannelMax: 100, presentChannelsMax: 100, typingLife: Self.life,
                presenceGrace: .seconds(30)))
        for user in Self.users { clients[user] = Client() }
        for channel in Self.channels { members[channel] = Set(Self.users.prefix(3)) }
    }

    /// - Returns: what a client showed that is not true; `nil` if all was.
    mutating func run() -> String? {
        for _ in 0..<150 {
            step()
            if let problem = check() { return problem }
        }
        return nil
    }

    private mutating func below(_ count: Int) -> Int { Int(random.next() % UInt64(count)) }

    private mutating func step() {
        let user = Self.users[below(Self.users.count)]
        let channel = Self.channels[below(Self.channels.count)]
        switch below(10) {
        case 0, 1: send(user, channel)
        case 2, 3: if !underWay.isEmpty { arrive(underWay.remove(at: below(underWay.count))) }
        case 4, 5, 6: read(user)
        case 7: now = now + .milliseconds(below(4000))
        case 8: cut(user)
        default: changeMembership(user, channel)
        }
    }

    private mutating func send(_ user: UserID, _ channel: ChannelID) {
        sequences[user, default: 0] += 1
        underWay.append(
            EphemeralSignal(
                channel: channel, user: user, device: "d", sequence: sequences[user] ?? 0, isTyping: below(3) > 0))
    }

    private mutating func arrive(_ signal: EphemeralSignal) {
        guard members[signal.channel]?.contains(signal.user) == true else { return }
        let known = typing[signal.channel]?[signal.user]
        if known.map({ $0.end <= now || $0.sequence < signal.sequence }) ?? true {
            typing[signal.channel, default: [:]][signal.user] = Truth(
                sequence: signal.sequence, isTyping: signal.isTyping, end: now + Self.life)
        }
        var signal = signal
        if fault == .arrivalWins {
            sequences[signal.user, default: 0] += 1
            signal.sequence = 1000 + (sequences[signal.user] ?? 0)
        }
        if fault == .forgetsEnds, !signal.isTyping, known?.isTyping != true { return }
        _ = board.receive(signal, at: now)
    }

    private mutating func changeMembership(_ user: UserID, _ channel: ChannelID) {
        guard below(3) == 0 else { return }
        if members[channel]?.remove(user) == nil {
            members[channel]?.insert(user)
        } else {
            _ = board.endTyping(of: user, in: [channel])
            board.withdraw(user, from: [channel])
            typing[channel]?[user]?.isTyping = false
        }
        // The event of the membership reaches a client before anything else does.
        if fault != .rightsOfTheBeginning { _ = clients[user]?.cache.remove(channel) }
        // The rights are found out again.
        if clients[user]?.isConnected == true { board.arrive(user, in: joined(user)) }
    }

    private func joined(_ user: UserID) -> [ChannelID] {
        Self.channels.filter { members[$0]?.contains(user) == true }
    }

    private mutating func cut(_ user: UserID) {
        guard below(4) == 0, var client = clients[user], client.isConnected else { return }
        client.isConnected = false
        if fault != .keepsWhenCut { _ = client.cache.clear() }
        if fault != .continuesAfterCut { client.seen = nil }
        clients[user] = client
        board.depart(user, at: now)
    }

    private mutating func read(_ user: UserID) {
        guard var client = clients[user] else { return }
        if !client.isConnected {
            client.isConnected = true
            client.rights = Set(joined(user))
            board.arrive(user, in: joined(user))
        }
        board.removeExpired(at: now)
        let rights = fault == .rightsOfTheBeginning ? client.rights : Set(joined(user))
        let part = board.read(after: client.seen, at: now, bytesMax: 1000) {
            fault == .noRights || rights.contains($0)
        }
        client.seen = part.position
        let isLost = fault == .positionBeforeState && below(5) == 0
        if !isLost { _ = client.cache.apply(Self.update(part, fault), at: now) }
        clients[user] = client
    }

    private static func update(_ part: EphemeralBoard.Part, _ fault: Fault?) -> EphemeralUpdate {
        EphemeralUpdate(
            channels: part.states.map { state in
                EphemeralUpdate.Channel(
                    channel: state.channel,
                    typing: state.typing.map {
                        EphemeralUpdate.Typing(
                            user: $0.user, remaining: fault == .expiresLate ? Self.life : $0.remaining)
                    }, present: state.present)
            }, isComplete: part.isComplete)
    }

    // MARK: - The truth

    private mutating func check() -> String? {
        for user in Self.users {
            guard let client = clients[user] else { continue }
            for channel in Self.channels {
                let displayed = fault == .neverExpires ? .zero : now
                let typing = client.cache.typing(in: channel, at: displayed)
                shown += typing.count
                if let problem = problem(typing, present: client.cache.present(in: channel), channel, user, client) {
                    return problem
                }
            }
        }
        return nil
    }

    private func problem(
        _ shown: [UserID], present: [UserID], _ channel: ChannelID, _ user: UserID, _ client: Client
    ) -> String? {
        let isMember = members[channel]?.contains(user) == true
        if !client.isConnected || !isMember {
            return shown.isEmpty && present.isEmpty ? nil : "\(user) sees \(channel), connected: \(client.isConnected)"
        }
        for other in shown {
            guard let truth = typing[channel]?[other], truth.end > now else { return "\(other) typed long ago" }
            // A client that has seen everything knows of the end.
            if client.seen == board.position, !truth.isTyping { return "\(other) has stopped typing in \(channel)" }
        }
        guard client.seen == board.position else { return nil }
        let missing = (typing[channel] ?? [:]).filter { $0.value.isTyping && $0.value.end > now }.keys
        guard missing.allSatisfy(shown.contains) else { return "a client does not see who is typing in \(channel)" }
        return nil
    }
}
