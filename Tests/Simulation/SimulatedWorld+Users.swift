import CausewayModels
import CausewayOutbox
import CausewayStorage

/// What people do: they create, delete, resend, log out and in, pause, and look whether it works.
extension SimulatedWorld {
    func actAsUser(of client: Int) {
        guard clients[client].actsLeft > 0, !areFaultsOver else { return }
        clients[client].actsLeft -= 1
        queue.plan(.userActs(client: client), at: now + between(.zero, plan.actPauseMax))
        guard clients[client].outbox != nil else { return }
        if !clients[client].isLoggedIn, chance(700) { return logIn(client) }
        switch Int.random(in: 0..<100, using: &generator) {
        case 0..<45: createMessage(client)
        case 45..<58: for _ in 0..<Int.random(in: 2...8, using: &generator) { createMessage(client) }
        case 58..<72: deleteSome(client)
        case 72..<87: resendSome(client)
        case 87..<90: logOut(client)
        case 90..<92: input(.paused, to: client)
        case 92..<97: input(.resumed, to: client)
        case 97..<99: input(.probeRequested, to: client)
        default: crash(client)
        }
        takeFeed(client)
        input(.resumed, to: client)
    }

    func createMessage(_ client: Int) {
        counts.created += 1
        let number = ledger.created.count + 1
        let id = MessageID(UUIDv7(high: 7, low: UInt64(number)))
        let isMedia = chance(350)
        let lane: LaneID = isMedia ? .media : .text
        let content = MessageContent.text("message \(number)")
        let message = clients[client].store.enqueue(id, content, lane: lane, at: wall)
        ledger.created.append(id)
        ledger.records[id] = Ledger.Record(client: client, trait: trait(), ordinal: message.ordinal, lane: lane)
        ledger.records[id]?.sequences = [message.laneSequence]
        clients[client].waiting.insert(id)
        story.tell(now, "client \(client): creates \(number) as \(message.laneSequence) in \(lane)")
    }

    private func trait() -> Ledger.Trait {
        switch Int.random(in: 0..<100, using: &generator) {
        case 0..<3: .refused
        case 3..<6: .refusedUntil(now + between(.zero, .seconds(60)))
        case 6..<8: .poisonous
        case 8..<9: .unsendable
        default: .plain
        }
    }

    private func deleteSome(_ client: Int) {
        let all = clients[client].store.inOrder
        var ids: [MessageID] = []
        var mutations: [Mutation] = []
        for _ in 0..<Int.random(in: 1...3, using: &generator) {
            guard let message = all.randomElement(using: &generator), !ids.contains(message.id),
                let changes = clients[client].outbox?.deletion(
                    of: message, with: clients[client].store.dependants(of: message.id), by: .api, at: moment)
            else { continue }
            ids.append(message.id)
            mutations += changes.mutations
        }
        guard !ids.isEmpty else { return }
        for id in ids { ledger.records[id]?.isDeleted = true }
        counts.deleted += ids.count
        story.tell(now, "client \(client): deletes \(ids.map(\.value.low))")
        clients[client].store.commit(mutations)
        if strikes(.crash, inFlight: !clients[client].openCalls.isEmpty) { return crash(client) }
        input(.deleted(ids), to: client)
    }

    private func resendSome(_ client: Int) {
        let failed = clients[client].store.inOrder.filter { $0.syncState == .error }
        guard let one = failed.randomElement(using: &generator), let outbox = clients[client].outbox else { return }
        var chosen = chance(300) ? failed : [one]
        if chance(200) { chosen.append(one) }  // a double click
        var mutations: [Mutation] = []
        for message in chosen { mutations += outbox.mutations(toResend: message, at: moment) }
        counts.resent += chosen.count
        story.tell(now, "client \(client): resends \(chosen.map(\.id.value.low))")
        for message in chosen {
            ledger.records[message.id]?.failedAttempts = 0
            clients[client].waiting.insert(message.id)
        }
        clients[client].store.commit(mutations)
    }

    private func logOut(_ client: Int) {
        guard clients[client].isLoggedIn, let outbox = clients[client].outbox else { return }
        story.tell(now, "client \(client): logs out with \(clients[client].openCalls.count) calls under way")
        clients[client].openCalls = [:]
        let failure = Failure(reason: .sessionEnded, code: "loggedOut", detail: "", at: wall)
        clients[client].store.commit([.endSession(failure)])
        clients[client].isLoggedIn = false
        reload(client, outbox)
    }

    func logIn(_ client: Int) {
        guard !clients[client].isLoggedIn, let outbox = clients[client].outbox else { return }
        story.tell(now, "client \(client): logs in")
        let stray = Failure(reason: .sessionEnded, code: "loggedOut", detail: "", at: wall)
        clients[client].store.commit([.endSession(stray)])
        clients[client].isLoggedIn = true
        reload(client, outbox)
        input(.sessionBegan, to: client)
    }

    private func reload(_ client: Int, _ outbox: Outbox) {
        for entry in clients[client].store.takeFeed() where entry.kind == .send { noteSequence(entry) }
        load(client, clients[client].store.snapshot, firstRound: outbox.nextRound)
    }

    func noteSequence(_ entry: OutboxEntry) {
        guard ledger.records[entry.message]?.sequences.last != entry.sequence else { return }
        ledger.records[entry.message]?.sequences.append(entry.sequence)
    }

    // MARK: - The end

    /// The network, the hub and the users are good from now on.
    func endFaults() {
        story.tell(now, "the faults are over")
        areFaultsOver = true
        isCut = false
        isHubDown = false
        isTokenRefused = false
        for client in clients.indices {
            clients[client].actsLeft = 0
            logIn(client)
            input(.resumed, to: client)
            input(.attentionResolved, to: client)
        }
    }
}
