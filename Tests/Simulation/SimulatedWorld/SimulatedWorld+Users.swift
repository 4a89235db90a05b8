import CausewayModels
import CausewayOutbox
import CausewaySimulatedHub
import CausewaySimulationKernel
import CausewayStorage
import DequeModule

/// The acts of users: they create, delete, resend, log out and in, pause, probe, and set their clocks.
extension SimulatedWorld {
    func userActs(_ act: Plan.Act) {
        let client = act.client
        randomness.begin(act, part: 0)
        guard act.number < plan.actCount, !areFaultsOver else { return }
        let next = Plan.Act(client: client, number: act.number + 1)
        queue.plan(.userActs(next), at: now + randomness.between(.zero, plan.actPauseMax))
        guard clients[client].isRunning, !clients[client].isSuspended, !plan.sparedActs.contains(act) else {
            return
        }
        if strikes(.clockJump) { setClock(of: client) }
        if strikes(.pausedProcess) { return pauseProcess(client) }
        if strikes(.restoredCopy) { restoreCopy(client) }
        if strikes(.suspended) { return suspendMachine(of: client) }
        if strikes(.lateDraft) { createLate(client) }
        if strikes(.tokenRenewal) { renewToken(client) }
        if strikes(.orderlyClose) { return close(client) }
        randomness.begin(act, part: 1)
        if clients[client].account == nil, randomness.isLikely(700) { return logIn(client) }
        switch randomness.number(in: 0..<100) {
        case 0..<30: createMessage(client)
        case 30..<42: wishSomething(client)
        case 42..<54: for _ in 0..<randomness.number(in: 2..<9) { createMessage(client) }
        case 54..<67: deleteSome(client)
        case 67..<82: resendSome(client)
        case 82..<86: refresh(client)
        case 86..<89: submit(.logOut, to: client)
        case 89..<92: submit(.event(.paused), to: client)
        case 92..<97: submit(.event(.resumed), to: client)
        case 97..<99: submit(.event(.probeRequested), to: client)
        default: crash(client)
        }
        drive(client)
    }

    private func setClock(of client: Int) {
        clients[client].wasClockSet = true
        clients[client].clockError = randomness.between(.seconds(-200_000), .seconds(200_000))
        history.record(now, "client \(client): its clock is wrong by \(clients[client].clockError)")
    }

    /// Takes effect at the time of the call; the engine is notified by the store's feed.
    func createMessage(_ client: Int, as creator: UserID? = nil) {
        guard !clients[client].isDiskFull else { return history.record(now, "client \(client): no room for a message") }
        if let creator, creator != clients[client].lastAccount, plan.plantedFault != .sendsAnybodys {
            // The store rejects messages of an account that is not the current one.
            counts.faults.count(.overtaken, inFlight: 1)
            return history.record(now, "client \(client): a draft of \(creator) is refused")
        }
        counts.created += 1
        let number = expected.created.count + 1
        let id = WorldNames.message(number)
        let content = WorldNames.content(
            number, isMedia: randomness.isLikely(350), isLarge: plan.hasLargeMessages && number % 3 > 0)
        let channel = WorldNames.channels[randomness.number(in: 0..<plan.channelCount)]
        let lane = plan.ordering.lane(for: content.type, in: channel)
        let sender = creator ?? clients[client].account ?? clients[client].lastAccount
        let parent = randomness.isLikely(150) ? lastOwnMessage(client, by: sender) : nil
        let draft = MessageDraft(
            id: id, channel: channel, sender: sender, parent: parent, content: content,
            createdAt: wall(of: client), lane: lane)
        let message = clients[client].store.enqueue(OperationDraft(draft))
        expected.created.append(id)
        expected.records[id] = ExpectedState.Record(
            client: client, channel: channel, sender: sender, parent: parent, trait: trait(),
            sequences: [message.laneSequence], ordinal: message.ordinal,
            turns: [message.laneSequence: message.laneSequence])
        expected.wanted[id] = ExpectedState.WantedState(content: content)
        clients[client].waiting.insert(id)
        hash.add(message.laneSequence)
        history.record(now, "client \(client): creates \(number) as \(message.laneSequence) in \(lane)")
    }

    func trait() -> ExpectedState.Trait {
        switch randomness.number(in: 0..<100) {
        case 0..<3: .refused
        case 3..<6: .refusedUntil(now + randomness.between(.zero, .seconds(60)))
        case 6..<8: .poisonous
        case 8..<9: .unsendable
        case 9..<10: plan.configuration.retry.retriesMax <= Plan.lethalRetriesMax ? .lethal : .plain
        case 10..<12: .taken
        default: .plain
        }
    }

    // MARK: - Deletions

    private func deleteSome(_ client: Int) {
        let all = clients[client].store.messages { _ in true }
        var ids: [MessageID] = []
        for _ in 0..<randomness.number(in: 1..<4) {
            if let message = randomness.one(of: all), !ids.contains(message.id) { ids.append(message.id) }
        }
        if !ids.isEmpty { submit(.delete(ids), to: client) }
    }

    /// Processed in its turn. A full disk is an error, and nothing changes.
    func delete(_ ids: [MessageID], _ client: Int) {
        guard !clients[client].isDiskFull, let machine = clients[client].machine else { return }
        let messages = ids.compactMap { clients[client].store.items[$0] }
        guard !messages.isEmpty else { return }
        var changes: [Outbox.ChangePlan] = []
        for message in messages {
            let dependants = clients[client].store.dependants(of: message.id)
            // Asks the hub to delete a message of another user.
            let lane = isOwn(message, client) ? nil : plan.ordering.lane(for: message.type, in: message.channel)
            if lane == nil, message.lane == nil { clients[client].deletedHere.insert(message.id) }
            var deletion = machine.outbox.deletion(
                of: message, with: dependants, by: .api, at: clock(of: client), lane: lane)
            if plan.plantedFault == .deletesOnlyLocally { deletion.mutations = [.delete(message.id)] }
            changes.append(deletion)
        }
        let mutations = changes.flatMap(\.mutations)
        let deleted = changes.flatMap(\.removedUnsent)
        // A message of another user is removed from this account's lists only.
        let user = clients[client].account ?? clients[client].lastAccount
        for id in deleted + messages.map(\.id) where expected.records[id]?.client == client {
            if expected.records[id]?.sender == user { expected.records[id]?.isDeleted = true }
        }
        clients[client].removedCount += deleted.count - messages.count
        counts.deleted += deleted.count
        history.record(now, "client \(client): deletes \(deleted.map(\.value.low))")
        hash.add(mutations)
        clients[client].store.commit(mutations)
        cancelSessions(
            of: messages.filter { message in
                !clients[client].openUploads.values.contains { $0.attempt.message == message.id }
            })
        if strikes(.crash) { return crash(client) }
        handle(.deleted(deleted), client)
        clients[client].agenda += changes.flatMap(\.ended).map { .completeAsStored($0) }
    }

    /// True for a message of the current account: only its sender can delete it on the hub.
    private func isOwn(_ message: some Deliverable, _ client: Int) -> Bool {
        message.sender == (clients[client].account ?? clients[client].lastAccount)
    }

    // MARK: - Resends

    private func resendSome(_ client: Int) {
        let failed = clients[client].store.inOrder.filter { $0.syncState == .error }
        guard let one = randomness.one(of: failed) else { return }
        var chosen = randomness.isLikely(300) ? failed : [one]
        if randomness.isLikely(200) { chosen.append(one) }  // a double click
        submit(.resend(chosen.map(\.id)), to: client)
    }

    /// Processed in its turn.
    func resend(_ ids: [MessageID], _ client: Int) {
        guard !clients[client].isDiskFull, let machine = clients[client].machine else { return }
        let chosen = ids.compactMap { clients[client].store.items[$0] }
            .filter { $0.sender == clients[client].account }
        if plan.plantedFault == .resendGetsNewID {
            for message in chosen { createAgain(message, client) }
            return
        }
        var queued: [StoredItem] = []
        var mutations: [Mutation] = []
        var vanished: [MessageID] = []
        for message in chosen {
            let changes = changes(toResend: message, machine, client)
            mutations += changes.mutations
            vanished += changes.removedUnsent
            if !changes.mutations.isEmpty, changes.removedUnsent.isEmpty { queued.append(message) }
        }
        guard !mutations.isEmpty else { return }
        counts.resent += chosen.count
        history.record(
            now, "client \(client): resends \(queued.map(\.id.value.low)), ends \(vanished.map(\.value.low))")
        clients[client].removedCount += chosen.count
        for id in vanished { expected.records[id]?.isDeleted = true }
        for message in queued {
            expected.records[message.id]?.failedAttempts = 0
            forgetCost(of: message.id)
            if message.createsMessage { clients[client].waiting.insert(message.id) }
        }
        hash.add(mutations)
        clients[client].store.commit(mutations)
        for message in queued {
            expected.noteTail(clients[client].store.items[message.id]?.laneSequence ?? 0, of: message.id)
        }
        if plan.plantedFault != .unpausedNotTold { handle(.unpaused(queued.map(\.id)), client) }
        if !vanished.isEmpty { handle(.deleted(vanished), client) }
    }

    private func changes(toResend item: StoredItem, _ machine: Machine, _ client: Int)
        -> Outbox.ChangePlan
    {
        let store = clients[client].store
        let operation = item.asOperation
        let target = operation.target
        let operations = target.map(store.dependants) ?? []
        if plan.plantedFault == .resendsWhatIsReplaced {
            return machine.outbox.changes(toResend: operation, on: nil, with: [], at: clock(of: client))
        }
        return machine.outbox.changes(
            toResend: operation, on: store.message(target), with: operations, at: clock(of: client))
    }

    /// Processed in its turn: removes failed operations that a later one has replaced.
    func endOvertaken(_ failed: [MessageID], _ client: Int) {
        guard !clients[client].isDiskFull, let machine = clients[client].machine,
            plan.plantedFault != .resendsWhatIsReplaced
        else { return }
        let store = clients[client].store
        var ended: [MessageID] = []
        for operation in failed.compactMap({ store.items[$0]?.operation }) {
            guard let target = operation.target else { continue }
            let changes = machine.outbox.changes(
                afterFailureOf: operation, on: store.message(target), with: store.dependants(of: target))
            hash.add(changes.mutations)
            clients[client].store.commit(changes.mutations)
            ended += changes.removedUnsent
        }
        guard !ended.isEmpty else { return }
        for id in ended { expected.records[id]?.isDeleted = true }
        clients[client].removedCount += ended.count
        handle(.deleted(ended), client)
    }

    /// For `resendGetsNewID`.
    private func createAgain(_ item: StoredItem, _ client: Int) {
        guard let message = item.message, message.syncState == .error, let lane = message.lane,
            let record = expected.records[message.id]
        else {
            return
        }
        let id = WorldNames.message(100_000 + expected.copies.count)
        expected.copies[id] = expected.original(of: message.id)
        let draft = MessageDraft(
            id: id, channel: message.channel, sender: message.sender, content: message.content,
            createdAt: message.createdAt, lane: lane)
        let again = clients[client].store.enqueue(OperationDraft(draft))
        expected.records[id] = record
        expected.records[id]?.sequences = [again.laneSequence]
        expected.records[id]?.ordinal = again.ordinal
        clients[client].waiting.insert(id)
    }

    // MARK: - Pages

    /// Reads a page in its present state, which is outdated when it arrives.
    private func refresh(_ client: Int) {
        guard clients[client].account != nil, troubles.isEmpty else { return }
        if plan.hasLosses { _ = meet(clients[client].history) }
        let page = page(
            of: WorldNames.channels[randomness.number(in: 0..<plan.channelCount)], for: clients[client].account)
        guard !page.isEmpty else { return }
        let news = News(messages: page, history: presentHistory, named: clients[client].history)
        let delay = randomness.between(.milliseconds(5), .seconds(10))
        queue.plan(.news(client: client, process: clients[client].process, news), at: now + delay)
    }

    /// Processed in its turn: first stored, then the machine is notified of the confirmations.
    func merge(_ news: News, _ client: Int) {
        guard !clients[client].isDiskFull, admit(news.history, named: news.named, client) else { return }
        let news = news.messages
        history.record(now, "client \(client): hears of \(news.map(\.id.value.low))")
        let mutations = news.map { Mutation.merge($0, at: wall(of: client)) } + historyToKeep(client)
        hash.add(mutations)
        for mutation in mutations where violation == nil { violation = brokenBy(mutation, client) }
        clients[client].store.commit(mutations)
        // The commit may have given numbers to replies that waited, and are there as well.
        clients[client].store.discardFeed(of: Set(news.map(\.id)))
        for one in news {
            let isAwaited = clients[client].machine?.outbox.awaitsConfirmation(of: one.id) == true
            handle(.confirmed(one.id, one.serverPosition), client)
            if !isAwaited, clients[client].waiting.contains(one.id) {
                clients[client].agenda.append(.completeAsStored(one.id))
            }
        }
    }

    // MARK: - Sessions

    func logOut(_ client: Int) {
        guard clients[client].account != nil, let machine = clients[client].machine, !clients[client].isDiskFull
        else { return }
        history.record(now, "client \(client): logs out with \(clients[client].openCalls.count) calls under way")
        clients[client].openCalls = [:]
        clients[client].openUploads = [:]
        let failure = Failure(reason: .sessionEnded, code: "loggedOut", detail: "", at: wall(of: client))
        clients[client].store.commit([.endSession(failure)])
        clients[client].account = nil
        if plan.plantedFault == .logoutForgotten { return }
        reload(client, machine)
    }

    private func logIn(_ client: Int) {
        let isOther = plan.accountCount > 1 && randomness.isLikely(200)
        let last = clients[client].lastAccount
        submit(.logIn(isOther ? WorldNames.users.first { $0 != last } ?? last : last), to: client)
    }

    func logIn(_ user: UserID, _ client: Int) {
        guard clients[client].account == nil, let machine = clients[client].machine, !clients[client].isDiskFull
        else { return }
        history.record(now, "client \(client): \(user) logs in")
        let stray = Failure(reason: .sessionEnded, code: "loggedOut", detail: "", at: wall(of: client))
        clients[client].store.commit([.endSession(stray)])
        if user != clients[client].lastAccount {
            for id in clients[client].store.items.keys { clients[client].waiting.remove(id) }
            for entry in clients[client].store.takeFeed() where entry.kind == .send {
                noteSequence(entry)
            }
            counts.count(visitWith: clients[client].store.controls.count)
            clients[client].store.switchAccount(from: clients[client].lastAccount, to: user)
        }
        clients[client].account = user
        clients[client].lastAccount = user
        violation = violation ?? outboxOracle.showsAnothers(clients[client], to: user)
        reload(client, machine)
        clients[client].inbox.prepend(.event(.sessionBegan))
    }

    private func reload(_ client: Int, _ machine: Machine) {
        for entry in clients[client].store.takeFeed() where entry.kind == .send { noteSequence(entry) }
        load(
            client, clients[client].store.snapshot, firstBatch: machine.outbox.nextBatch,
            firstUpload: machine.outbox.uploads.nextNumber
        )
    }

    func noteSequence(_ entry: OutboxEntry) {
        guard expected.records[entry.message]?.sequences.last != entry.sequence else { return }
        expected.noteSequence(entry.sequence, of: entry.message)
        forgetCost(of: entry.message)
    }

    // MARK: - The end

    /// Ends all faults: the network, the hub and the users work correctly from now on.
    func endFaults() {
        history.record(now, "the faults are over")
        areFaultsOver = true
        troubles = []
        for client in clients.indices {
            clients[client].isDiskFull = false
            resumeMachine(of: client)
            // Everything that time or the network can change is left to the client.
            logInAtTheEnd(client)
            if clients[client].isOrWillBePaused { submit(.event(.resumed), to: client) }
        }
        if plan.configuration.headFailure == .pauseLane { tidyPauses() }
    }

    /// Deletes the failed messages that pause lanes: a paused lane stays paused until a user handles them. The messages
    /// behind them may fail, too.
    func tidyPauses() {
        var isAnyDeleted = false
        for client in clients.indices {
            let pausing = clients[client].store.pauses.map(\.message)
            if pausing.isEmpty { continue }
            isAnyDeleted = true
            submit(.delete(pausing), to: client)
        }
        if isAnyDeleted || idleSince == nil { queue.plan(.peopleTidy, at: now + Plan.tidyInterval) }
    }

    /// Logs in each account of each client once more, so that doubts that were open at its logout are resolved.
    ///
    /// - Returns: false when there is none left.
    func bringAccountsBack() -> Bool {
        var isAnyBack = false
        for client in clients.indices where clients[client].original == nil && !clients[client].isLeftAlone {
            let away = clients[client].store.otherAccounts.keys.sorted { $0.value < $1.value }
            guard let user = away.first(where: { !returned.contains(Return(client: client, user: $0)) }) else {
                continue
            }
            returned.insert(Return(client: client, user: user))
            isAnyBack = true
            submit(.logOut, to: client)
            submit(.logIn(user), to: client)
        }
        if isAnyBack { lastReturn = now }
        return isAnyBack
    }

    struct Return: Hashable {
        var client: Int
        var user: UserID
    }

    func logInAtTheEnd(_ client: Int) {
        guard clients[client].original == nil else { return }
        submit(.logIn(clients[client].lastAccount), to: client)
    }
}
