import CausewayModels
import CausewayOutbox
import CausewaySimulatedHub
import CausewaySimulationKernel
import CausewayStorage
import DequeModule

/// The client's side: its driver compares the history that each response names with the one that it knows, like the
/// engine.
extension SimulatedWorld {
    /// Records the history named by a response.
    ///
    /// - Parameter named: the history that the request named.
    /// - Returns: false if the response confirms nothing.
    func admit(_ seen: ServerHistory?, named: ServerHistory?, _ client: Int) -> Bool {
        guard let seen, plan.plantedFault != .formerAnswersBelieved else { return true }
        guard let known = clients[client].history else {
            clients[client].history = seen
            return true
        }
        guard let next = known.advanced(by: seen, named: named) else {
            history.record(now, "client \(client): does not believe what it hears of \(seen.id)")
            submit(.event(.probeRequested), to: client)
            return false
        }
        clients[client].history = next
        return true
    }

    /// The event, or a cancelled delivery in place of a response that belongs to a former history.
    func admitted(_ event: OutboxEvent, _ client: Int) -> OutboxEvent {
        guard case .responded(let batch, let report) = event,
            !admit(report.history, named: clients[client].named[batch.id], client)
        else { return event }
        expected.takeBackFailedAttempts(batch, report)
        return .interrupted(batch)
    }

    /// The mutation that stores the history; none if it is stored already.
    func historyToKeep(_ client: Int) -> [Mutation] {
        guard let known = clients[client].history, known != clients[client].store.history else { return [] }
        return [.keepHistory(known)]
    }

    /// Processed in its turn: a probe has succeeded. If the hub has another history, the machine is notified first.
    func probed(_ call: ProbeCall, _ answer: ProbeAnswer, _ client: Int) {
        // In place of a probe that a later one has replaced, the driver hears the later one.
        if plan.hasLosses, call.number != clients[client].lastProbe { return }
        if let seen = answer.history, call.account == clients[client].account {
            if let known = clients[client].history, !known.isSame(as: seen), plan.plantedFault != .lossIgnored {
                guard let marks = answer.marks else {
                    submit(.event(.probeRequested), to: client)
                    return takeEvent(.authenticated, client)
                }
                return change(to: seen, marks, answer.movers, client)
            }
            if plan.plantedFault == .lossIgnored { clients[client].history = seen }
            _ = admit(seen, named: call.history, client)
        }
        takeEvent(.authenticated, client)
    }

    private func change(
        to seen: ServerHistory, _ marks: [LaneID: Int64], _ movers: [LaneID: OpeningID], _ client: Int
    ) {
        guard let machine = clients[client].machine else { return }
        let lineage = machine.outbox.lineage
        let proven = marks.filter { lane, _ in movers[lane].map(lineage.contains) ?? true }
        history.record(now, "client \(client): hears of \(seen.id), with the marks \(proven)")
        let known = clients[client].deletedHere.union(machine.outbox.queuedDeletions)
        let deletions = clients[client].store.deleteActions.filter { !known.contains($0.message) }.map { action in
            Mutation.appendDelete(
                action.message, lane: plan.ordering.deletionLane(for: action.type, in: action.channel))
        }
        if !deletions.isEmpty, plan.plantedFault != .deletionsNotRepeated {
            clients[client].agenda.append(.commit(deletions))
        }
        handle(.historyChanged(seen, marks: proven), client)
        clients[client].inbox.prepend(.event(.authenticated))
    }

    /// Performs the machine's decision to follow another history: nothing else is processed before it is notified.
    func follow(_ new: ServerHistory, _ marks: [LaneID: Int64], _ client: Int) {
        forks += 1
        let id = OutboxID(UUIDv7(high: 4, low: UInt64(forks)))
        let before = clients[client].store
        let told = plan.plantedFault == .lostCountsAsKept ? marks.mapValues { _ in Limits.sequenceMax - 1 } : marks
        let following = Mutation.followHistory(new, id, marks: told, at: wall(of: client))
        let ended = operationsThatEnd(client)
        guard commit(ended.map { .delete($0) } + [following], client) else { return }
        clients[client].agenda.removeFirst()
        noteEnded(ended, client)
        clients[client].history = new
        if violation == nil { violation = outboxOracle.brokenByFollowing(from: before, to: clients[client].store) }
        noteFollowed(from: before, client)
        handle(.forked(clients[client].store.snapshot), client)
    }

    /// The operations that end when the client continues under another outbox id.
    func operationsThatEnd(_ client: Int) -> [OperationID] {
        guard let outbox = clients[client].machine?.outbox else { return [] }
        let store = clients[client].store
        return outbox.unresolvedOperations.filter { id in
            guard let operation = store.items[id]?.operation, let target = operation.target else { return false }
            return outbox.endsUnderOtherID(operation, on: store.message(target))
        }
    }

    func noteEnded(_ ended: [OperationID], _ client: Int) {
        for id in ended { expected.records[id]?.isDeleted = true }
        clients[client].removedCount += ended.count
    }

    /// Records the new numbers. Lost messages are new to the queue, and their senders hear of them once more.
    private func noteFollowed(from before: ModelStore, _ client: Int) {
        let snapshot = clients[client].store.snapshot
        noteCutOff(in: snapshot, client)
        for entry in snapshot.entries where entry.kind == .send {
            noteSequence(entry)
            let id = entry.message
            // The judge has compared the new order with the old one.
            expected.records[id]?.turns[entry.sequence] = entry.sequence
            guard before.items[id]?.syncState == .synced else { continue }
            counts.lost += 1
            expected.records[id]?.wasLost = true
            expected.records[id]?.failedAttempts = 0
            expected.records[id]?.queued = ExpectedState.Queued(
                process: clients[client].process, at: now, stored: entry.queuedAt)
            clients[client].waiting.insert(id)
        }
        history.record(now, "client \(client): goes on as outbox \(snapshot.outboxID.value.low)")
    }
}

/// Decisions about operations and replies that the hub cannot relate to anything, because it has lost their messages.
/// In a world whose hub loses nothing, the store decides alone.
extension SimulatedWorld {
    /// Looks up the message that each operation to be parked refers to, like the engine.
    ///
    /// - Returns: the mutations to commit, and the messages that pause no lane after them.
    func decidingParks(in decided: [Mutation], _ client: Int) -> (mutations: [Mutation], released: [MessageID]) {
        guard plan.hasLosses else { return (decided, []) }
        var mutations = decided
        var released: [MessageID] = []
        for (index, mutation) in decided.enumerated() {
            let store = clients[client].store
            guard case .park(let id, let failure) = mutation, let operation = store.items[id]?.asOperation,
                let parent = store.message(operation.related)
            else { continue }
            let others = operation.createsMessage ? [] : store.dependants(of: parent.id)
            guard
                let decision = clients[client].machine?.decision(
                    to: mutation, operation, parent: parent, with: others)
            else { continue }
            mutations[index] = decision.mutation
            if decision.isReleasing, failure.pausesLane { released.append(id) }
        }
        return (mutations, released)
    }

    /// Records operations that ended and replies that were sent again instead of being parked.
    func noteDecided(_ mutations: [Mutation], insteadOf decided: [Mutation], _ client: Int) {
        for (mutation, former) in zip(mutations, decided) where mutation != former {
            switch mutation {
            case .delete(let id):
                expected.records[id]?.isDeleted = true
                clients[client].removedCount += 1
            case .resend(let id, at: _):
                expected.records[id]?.failedAttempts = 0
                forgetCost(of: id)
                clients[client].removedCount += 1
                expected.noteTail(clients[client].store.items[id]?.laneSequence ?? 0, of: id)
            default: break
            }
        }
    }
}

/// The end: a client that has nothing to send may not have noticed a loss.
extension SimulatedWorld {
    /// The last act of the user of an account, at the end.
    enum Look {
        /// Asked whether the hub can be reached.
        case asked
        /// Read all channels.
        case read
    }

    /// Lets the users look at what they have: first each client asks the hub, then it reads everything there.
    ///
    /// - Returns: false when all have read everything.
    func lookAround() -> Bool {
        guard plan.hasLosses else { return false }
        var isUnderWay = false
        for client in clients.indices where !clients[client].isLeftAlone {
            guard let user = clients[client].account else { continue }
            switch looks[Return(client: client, user: user)] {
            case nil:
                looks[Return(client: client, user: user)] = .asked
                submit(.event(.probeRequested), to: client)
                lastReturn = now
            case .asked where clients[client].probesUnderWay > 0: break
            case .asked where clients[client].history?.isSame(as: hub.present) == false:
                // Another client has shown a loss meanwhile, and another history has begun.
                submit(.event(.probeRequested), to: client)
                lastReturn = now
            case .asked:
                // A request for a page names the history, too, and the hub checks that.
                guard meet(clients[client].history) else {
                    submit(.event(.probeRequested), to: client)
                    lastReturn = now
                    break
                }
                looks[Return(client: client, user: user)] = .read
                let messages = hub.history.compactMap { placed($0.message, for: user) }
                let news = News(messages: messages, history: presentHistory, named: clients[client].history)
                submit(.merge(news), to: client)
                lastReturn = now
            case .read: continue
            }
            isUnderWay = true
        }
        return isUnderWay
    }
}
