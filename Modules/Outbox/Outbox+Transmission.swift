import CausewayModels
import CausewayStorage
import DequeModule

/// Sending: which links of a lane go into the next round.
extension Outbox {
    mutating func pumpAll(_ moment: Moment, _ actions: inout [OutboxAction]) {
        // With what waits for each: a lane may be looked at before the one that holds it up lets it go.
        for lane in lanes.indices { pump(lane, moment, &actions) }
    }

    /// Sends what the lane may send now, and what other lanes may send that waited for it.
    mutating func pump(_ lane: Int, _ moment: Moment, _ actions: inout [OutboxAction]) {
        pumpAlone(lane, moment, &actions)
        for follower in followers(of: lane) { pump(follower, moment, &actions) }
    }

    /// Lets lanes that found no room send as far as there is room now, each one delivery at a time.
    mutating func grantTurns(_ moment: Moment, _ actions: inout [OutboxAction]) {
        while let lane = lanesInTurn.first, hasRoom(for: lane, moment) {
            lanesInTurn.removeFirst()
            lanes[lane].isInTurn = false
            pumpAlone(lane, moment, &actions, hasTurn: true)
        }
    }

    private mutating func waitForTurn(_ lane: Int) {
        guard !lanes[lane].isInTurn, lanes[lane].inFlightCount < lanes[lane].slots.count else { return }
        lanes[lane].isInTurn = true
        lanesInTurn.append(lane)
    }

    /// - Parameter hasTurn: true for one that waited for room, and may go before those that still wait.
    private mutating func pumpAlone(
        _ lane: Int, _ moment: Moment, _ actions: inout [OutboxAction], hasTurn: Bool = false
    ) {
        guard !isForking else { return }
        expire(lane, moment, &actions)
        guard mayTransmit(at: moment.now) else { return }
        if let hold = lanes[lane].hold {
            guard hold.until <= moment.now || hold.isOfQuestions && hasMessageToSend(lane, moment) else { return }
            lanes[lane].hold = nil
            questionHolds.remove(lane)
        }
        setAsideUsedUp(lane, moment, &actions)
        dropAged(lane)
        let sendsMax = sendsMax(of: lane)
        let inFlightMax = sendsMax == .max ? configuration.deliveriesInFlightMax : 1
        var mayGo = hasTurn
        while lanes[lane].flights.count < inFlightMax {
            let goesByItself = goesByItself(lane, moment)
            guard mayGo || lanesInTurn.isEmpty, hasRoom(for: lane, moment) else { return waitForTurn(lane) }
            let first = nextRound
            var round = DeliveryRound(
                id: first, lane: lanes[lane].id, outbox: outboxID, epoch: epoch, opening: lineage.opening,
                ancestors: isConfirmed ? [] : lineage.ancestors, base: lanes[lane].base, operations: [], charged: nil)
            let mutations = lanes[lane].fill(
                &round, configuration, moment, sendsBelow: sendLimit(of: lane), sendsMax: sendsMax,
                expiredUntil: expiredUntil(moment))
            guard !round.operations.isEmpty else { return }
            nextRound += 1
            flightCount += 1
            laneByItself = goesByItself ? lane : nil
            mayGo = false
            actions.append(.transmit(round, mutations))
        }
    }

    /// True while a delivery is under way that goes by itself.
    var isUnderWayByItself: Bool { laneByItself.map { !lanes[$0].flights.isEmpty } ?? false }

    /// True when there is room among the deliveries under way for the lane's next one.
    private func hasRoom(for lane: Int, _ moment: Moment) -> Bool {
        if flightCount == 0 { return true }
        guard flightCount < configuration.deliveriesInFlightTotalMax, !isUnderWayByItself else { return false }
        return !goesByItself(lane, moment)
    }

    /// True when nothing else may be under way with the lane's next delivery: after a crash what may have caused it
    /// goes by itself, so that no other lane pays for it once more.
    private func goesByItself(_ lane: Int, _ moment: Moment) -> Bool {
        guard lanes[lane].sendsAfterCrashMax != nil, lanes[lane].flights.isEmpty else { return false }
        if let hold = lanes[lane].hold, hold.until > moment.now, !hold.isOfQuestions { return false }
        return hasMessageToSend(lane, moment)
    }

    /// True when the lane's next delivery would hold a message, were there no pause: one of questions alone is sent
    /// again and again otherwise.
    private func hasMessageToSend(_ lane: Int, _ moment: Moment) -> Bool {
        let next = lanes[lane].slots.lazy.filter { !$0.isGone }.prefix(configuration.batchOperationsMax)
        guard let slot = next.first(where: \.isToBeSent), slot.sequence < sendLimit(of: lane) else { return false }
        return expiredUntil(moment).map { slot.queuedAt > $0 } ?? true
    }

    /// Messages in one delivery of the lane at the most.
    private func sendsMax(of lane: Int) -> Int {
        if goesAlone(lane) { return 1 }
        return min(lanes[lane].sendsAfterCrashMax ?? .max, lanes[lane].sendsAfterRefusalMax ?? .max)
    }
}

extension OutboxLane {
    /// Takes the next links into `round`, which is under way from now on, and says what to write down before it
    /// leaves. Leaves the round empty when there is nothing to send.
    ///
    /// - Parameters:
    ///   - limit: messages from this sequence on must wait; questions and deletions need not.
    ///   - sendsMax: so many messages at the most.
    ///   - expired: a message that was queued then or before does not leave, nor does what stands behind it.
    fileprivate mutating func fill(
        _ round: inout DeliveryRound, _ configuration: OutboxConfiguration, _ moment: Moment,
        sendsBelow limit: Int64, sendsMax: Int, expiredUntil expired: Timestamp?
    ) -> [Mutation] {
        var mutations: [Mutation] = []
        var sends = 0
        var bytes = 0
        let lastTransmittedBefore = lastTransmitted
        var index = inFlightCount
        while index < slots.count, round.operations.count < configuration.batchOperationsMax {
            if slots[index].isGone {
                slots.remove(at: index)
                continue
            }
            if slots[index].kind == .send {
                if slots[index].sequence >= limit { break }
                if let expired, slots[index].queuedAt <= expired { break }
                if sends > 0, sends >= sendsMax || bytes + slots[index].bytes > configuration.batchBytesMax { break }
                sends += 1
                bytes += slots[index].bytes
                if round.charged == nil, !hasMessageUnderWay {
                    round.charged = slots[index].message
                    slots[index].attempts += 1
                }
            }
            transmit(index, moment, &round, &mutations)
            index += 1
        }
        if lastTransmitted != lastTransmittedBefore { mutations.append(.setLastTransmitted(id, lastTransmitted)) }
        if !round.operations.isEmpty {
            flights.append(Flight(round: round, since: moment, isAlone: flights.isEmpty))
            inFlightCount += round.operations.count
        }
        return mutations
    }

    /// Questions alone use up nothing: the first message behind them pays, or one that kills the process would do so
    /// for ever.
    private var hasMessageUnderWay: Bool {
        flights.contains { flight in flight.round.operations.contains { $0.kind == .send } }
    }

    private mutating func transmit(
        _ index: Int, _ moment: Moment, _ round: inout DeliveryRound, _ mutations: inout [Mutation]
    ) {
        let isFirstTime = slots[index].previous == nil
        if isFirstTime {
            let before = index > 0 ? slots[index - 1].sequence : slots[index].sequence - 1
            slots[index].previous = lastTransmitted < slots[index].sequence ? lastTransmitted : before
            lastTransmitted = max(lastTransmitted, slots[index].sequence)
        }
        let slot = slots[index]
        let previous = slot.previous ?? 0
        if slot.kind == .send {
            mutations.append(
                .attempt(slot.message, previous: previous, attempts: slot.attempts, at: moment.wall))
        } else if isFirstTime {
            mutations.append(.attemptControl(sequence: slot.sequence, previous: previous))
        }
        round.operations.append(
            DeliveryRound.Operation(
                kind: slot.kind, message: slot.message, sequence: slot.sequence, previous: previous))
    }
}
