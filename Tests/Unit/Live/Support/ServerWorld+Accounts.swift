import CausewayLiveQuery
import CausewayModels
import CausewayStorage

/// One account in a random history: its server, and the messages that it wrote.
struct ServedAccount: Sendable {
    let name: String
    let session: Session
    let server: RandomServer
    /// The messages written here, and those of them that are not on the server.
    var written: [MessageID] = []
    var undelivered: [MessageID] = []
    var deletedHere: Set<MessageID> = []
    var hasBeenHere = false

    init?(_ name: String, seed: UInt64, firstNumber: Int) {
        guard let user = UserID(name), let server = RandomServer(seed: seed, name: name, firstNumber: firstNumber)
        else { return nil }
        self.name = name
        self.server = server
        session = Session(
            id: SessionID(UUIDv7(high: 0x7000, low: 0x8000_0000_0000_0000 | seed >> 1)), server: "https://hub.test",
            user: user, startedAt: Sample.time)
    }

    func owns(_ message: Message) -> Bool { message.text.hasPrefix(name) || written.contains(message.id) }
}

extension ServerWorld {
    /// The user logs out while the server cannot be reached, and in again.
    func changeSession() async throws {
        strikes.note(.sessionEnded)
        try await logout()
        server.setFailures(20)
        refresh(isNewSession: true)
    }

    private func logout() async throws {
        server.setFailures(100)
        refresh(isNewSession: true)
        try await settle()
        try look()
        for window in windows where window.status == .fresh {
            throw Violation("\(window.query): it is fresh with no server that could have told it")
        }
    }

    /// Another account logs in; the store switches to it, and may be unreadable then.
    func changeAccount() async throws {
        if dice.isOne(in: 2) {
            try await logout()
        } else {
            // The login follows at once: the lists learn of both together.
            server.setFailures(100)
            refresh(isNewSession: true)
        }
        // From now on each change that a reader gets comes after the switch.
        try look()
        strikes.note(.accountChanged)
        current = 1 - current
        if accounts[current].hasBeenHere { strikes.note(.accountReturned) }
        accounts[1 - current].hasBeenHere = true
        let isUnreadable = dice.isOne(in: 3)
        if isUnreadable {
            strikes.note(.accountChangedUnreadably)
            store.failNextReads(1 + dice.below(6))
        }
        let failure = Failure(reason: .sessionEnded, code: "loggedOut", detail: "", at: Sample.time)
        try await commit([.endSession(failure), .saveSession(accounts[current].session)])
        for _ in 0..<dice.below(4) {
            _ = await runtime.runOne(dice.below(1000))
            try look()
        }
        servers.server = accounts[current].server
        server.setFailures(20)
        refresh(isNewSession: true)
        for _ in 0..<dice.below(4) {
            _ = await runtime.runOne(dice.below(1000))
            try look()
        }
    }
}
