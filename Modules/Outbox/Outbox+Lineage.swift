import CausewayModels
import CausewayStorage
import DequeModule

/// Copies of the store: one that was restored from a backup, or that runs somewhere else as well.
///
/// The server remembers which opening of a store delivered last, and each delivery names its opening and the ones
/// before it. When the server knows another one, the store was restored or copied. This copy then goes on by itself
/// under a new outbox id: every link gets a new number in the order of the old ones, so that none overtakes another,
/// and nothing of the old id is waited for any more. The other copy may have delivered, or may yet deliver, all that
/// is here; the server knows messages by their ids, so nothing is there twice.
///
/// Until the server has confirmed this opening, and for good once a copy was noticed, what an earlier opening had taken
/// in is never treated as if it had not left: see ``mayBeElsewhere(_:)``.
extension Outbox {
    /// True for an ordinal or a sequence that a copy of the store has, too, so that the copy may have delivered it.
    func mayBeElsewhere(_ number: Int64) -> Bool {
        guard lineage.opening != nil else { return false }
        return number < (isConfirmed ? lineage.sharedBelow : max(lineage.sharedBelow, lineage.openedAt))
    }

    /// An answer tells which opening the server has admitted.
    mutating func confirm(_ round: DeliveryRound, _ report: DeliveryReport) {
        guard round.outbox == outboxID, let opening = lineage.opening, report.opening == opening else { return }
        isConfirmed = true
        forks = 0
    }

    /// The server has heard another copy: everything under way is taken back, and the outbox starts anew.
    mutating func noteFork(_ moment: Moment, _ actions: inout [OutboxAction]) {
        startOver(with: .fork, moment, &actions)
        pauseAfterForks(moment)
    }

    /// Everything under way is taken back; then the store says what the outbox consists of.
    mutating func startOver(with action: OutboxAction, _ moment: Moment, _ actions: inout [OutboxAction]) {
        isForking = true
        var settlement = Settlement()
        for lane in lanes.indices {
            guard let round = lanes[lane].flights.first?.round else { continue }
            giveBackAttempt(round, lane)
            markInDoubt(lane) { _ in true }
            takeBack(lane, judged: round, moment, &settlement, &actions)
            settlement = Settlement()
        }
        actions.append(action)
    }

    /// The server knows another history than the deliveries name: it is asked which one, and where the lanes stand.
    mutating func noteOtherHistory(_ moment: Moment, _ actions: inout [OutboxAction]) {
        if case .unknown = link.state { return }  // another lane heard it first
        link.state = .unknown
        startProbe(moment, &actions)
        pauseAfterForks(moment)
        forks += 1
    }

    /// A server that says so again and again is not asked in circles.
    private mutating func pauseAfterForks(_ moment: Moment) {
        guard forks > 0 else { return }
        let pause = min(configuration.retry.interval * (1 << min(forks - 1, 6)), .seconds(60))
        rateLimitedUntil = max(rateLimitedUntil ?? .zero, moment.now + jittered(pause))
    }

    /// The store was read: it has a new outbox id and new numbers, or what the feed did not tell of.
    mutating func forked(_ snapshot: OutboxSnapshot, _ moment: Moment, _ actions: inout [OutboxAction]) {
        var anew = Outbox(snapshot, configuration: configuration, seed: 0, firstRound: nextRound)
        anew.generator = generator
        anew.forks = forks + (snapshot.outboxID == outboxID ? 0 : 1)
        anew.isConfirmed = isConfirmed && snapshot.outboxID == outboxID
        anew.undecided.formUnion(undecided)
        anew.provenBeforePlaced = provenBeforePlaced
        anew.sentAfterParent = sentAfterParent
        anew.link = link
        anew.hasSession = hasSession
        anew.isPaused = isPaused
        anew.attention = attention
        anew.rateLimitedUntil = rateLimitedUntil
        anew.start = start
        anew.keepAges(of: self)
        if snapshot.outboxID == outboxID { anew.keepPauses(of: self) }
        self = anew
        pumpAll(moment, &actions)
    }

    /// An outbox that was read again has its former numbers: all that is known of its lanes holds.
    private mutating func keepPauses(of old: Outbox) {
        for lane in lanes.indices {
            lanes[lane].base = 0
            guard let index = old.laneIndices[lanes[lane].id] else { continue }
            let former = old.lanes[index]
            lanes[lane].base = former.base
            lanes[lane].startedAnewAbove = former.startedAnewAbove
            lanes[lane].hold = former.hold
            lanes[lane].isCautious = former.isCautious
            lanes[lane].fruitless = former.fruitless
            lanes[lane].sendsAfterCrashMax = former.sendsAfterCrashMax
            lanes[lane].sendsAfterRefusalMax = former.sendsAfterRefusalMax
            if former.hold?.isOfQuestions == true { questionHolds.insert(lane) }
            for slot in lanes[lane].slots.indices {
                guard let known = former.index(of: lanes[lane].slots[slot].sequence),
                    former.slots[known].message == lanes[lane].slots[slot].message
                else { continue }
                lanes[lane].slots[slot].isInDoubt = former.slots[known].isInDoubt
            }
        }
    }

    /// A new number makes nothing younger.
    private mutating func keepAges(of old: Outbox) {
        guard configuration.expiry != nil else { return }
        for lane in lanes.indices {
            for index in lanes[lane].slots.indices {
                let message = lanes[lane].slots[index].message
                guard let place = old.places[message], let former = old.lanes[place.lane].index(of: place.sequence)
                else { continue }
                lanes[lane].slots[index].queuedAt = old.lanes[place.lane].slots[former].queuedAt
            }
        }
    }
}
