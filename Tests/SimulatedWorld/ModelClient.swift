import CausewayModels
import CausewayOutbox
import DequeModule

/// One client: what is on its disk, and what its running process holds in memory.
struct ModelClient {
    // On disk
    var store: ModelStore
    /// Who is logged in.
    var account: UserID?
    /// Who was logged in last.
    var lastAccount: UserID
    var isDiskFull = false

    // In memory: gone with a crash
    /// `nil` while no process runs.
    var outbox: Outbox?
    var inbox: Deque<Input> = []
    /// What the machine wants done; the first of it waits for the disk while ``isBusy``.
    var agenda: Deque<OutboxAction> = []
    var isBusy = false
    /// The disk has done what ``isBusy`` waits for; with a full one it has to be asked again.
    var isDiskDone = false
    /// Its machine sleeps: nothing is dealt with before it wakes.
    var isSuspended = false
    var openCalls: [Int: Call] = [:]
    /// Who waits for the result of a message.
    var waiting: Set<MessageID> = []
    var plannedDeadline: MonotonicTime?
    /// When it was planned: it may have been due then already.
    var deadlinePlannedAt = MonotonicTime.zero
    /// The round whose result is being dealt with: a crash may still take the result away.
    var judged: DeliveryRound?
    /// The hub asked not to be called before.
    var quietUntil = MonotonicTime.zero
    /// When each message left last, and when it looked for the hub.
    var departures: [MessageID: SimulatedWorld.Moments] = [:]
    var probes: SimulatedWorld.Moments = []
    var probesUnderWay = 0
    /// An attempt had been cut off when this machine began.
    var mayGoOneByOne = false
    /// A person paused it, and nobody has resumed it since.
    var isPaused = false

    // Counted by the world
    /// Grows with each start, each logout and each login: answers to an older one are nobody's.
    var process = 0
    /// Wall clock minus true time.
    var clockError = Duration.zero
    var wasClockSet = false
    /// Deadlines that came at the same moment.
    var deadlinesAtOnce = 0
    var lastDeadline: MonotonicTime?
    /// How many links may have vanished because messages were sent again, or operations folded.
    var vanishedCount = 0
    /// Grows with each start of any process in the world.
    var birth = 0
    /// It is a process that was frozen and started anew elsewhere meanwhile.
    var isFrozen = false
    /// The client whose process or store this is a second one of; `nil` for the real ones.
    var original: Int?
    /// Another process or copy of its outbox exists.
    var isShared = false

    /// It has done all that it was told of, and the disk is not in its way.
    var isAtRest: Bool { agenda.isEmpty && inbox.isEmpty && store.isFeedEmpty && !isBusy && !isSuspended }

    /// A person has paused it, or has asked for that a moment ago.
    var isOrWillBePaused: Bool {
        isPaused
            || inbox.contains { input in
                if case .event(.paused) = input { true } else { false }
            }
    }

    /// Nothing has to be said to the hub any more.
    var isIdle: Bool {
        openCalls.isEmpty && agenda.isEmpty && inbox.isEmpty && store.isFeedEmpty && !store.hasEntries
    }

    var suspect: Suspect {
        Suspect(
            store: store, outbox: outbox, waiting: waiting, vanishedCount: vanishedCount, isShared: isShared,
            isAtRest: agenda.isEmpty)
    }

    /// Rounds that have ended for the network, while what follows from it is not on the disk.
    var unsettled: [DeliveryRound] {
        inbox.compactMap { input in
            switch input {
            case .event(.answered(let round, _)), .event(.failed(let round, _)),
                .event(.unsendable(let round, _, detail: _)), .event(.foreign(let round, _)),
                .event(.interrupted(let round)):
                round
            default: nil
            }
        } + [judged].compactMap(\.self)
    }

    /// Nobody expects it to come to its end: it was superseded, or it is a second one that nobody logs in at.
    var isLeftAlone: Bool { isSuperseded || (original != nil && account == nil) }

    /// A newer process or copy of the store has taken over.
    var isSuperseded: Bool { outbox?.attention?.cause == .superseded }
}
