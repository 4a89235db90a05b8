import CausewayModels
import CausewayOutbox
import CausewaySimulationKernel
import CausewayStorage
import DequeModule

/// The machine of a running process. An object, because a copy of the outbox costs as much as its fields.
final class Machine {
    private(set) var outbox: Outbox
    /// The number of handled events.
    private(set) var version = 0

    init(_ outbox: Outbox) { self.outbox = outbox }

    func handle(_ event: OutboxEvent, at clock: ClockReading) -> [OutboxAction] {
        version += 1
        return outbox.handle(event, at: clock)
    }

    func decision(
        to park: Mutation, _ operation: QueuedOperation, parent: Message, with operations: [QueuedOperation]
    ) -> (mutation: Mutation, isReleasing: Bool) {
        outbox.decision(to: park, operation, parent: parent, with: operations)
    }
}

/// One client: the content of its disk, and the memory of its running process.
///
/// An object, so that looking at a client copies none of it.
final class ModelClient {
    /// A departure: of a message or a question about it, or of one deletion of it.
    struct Link: Hashable {
        var message: MessageID
        var deletion: Int64?
    }

    // On disk
    var store: ModelStore
    /// The account that is logged in.
    var account: UserID?
    /// The account that was logged in last.
    var lastAccount: UserID
    var isDiskFull = false
    /// Messages of its account that came from another device, and were deleted here only.
    var deletedHere: Set<MessageID> = []

    // In memory: lost in a crash
    /// `nil` while no process runs.
    var machine: Machine?
    var inbox: Deque<Input> = []
    /// Entries of the feed in whose place it was reset, until the machine has read the store again.
    var missed: [OutboxEntry] = []
    /// The machine's pending actions; the first of them waits for the disk while ``isBusy``.
    var agenda: Deque<OutboxAction> = []
    var isBusy = false
    /// True when the disk has completed the work that ``isBusy`` waits for; a full disk has to be asked again.
    var isDiskDone = false
    /// True while its computer is suspended: nothing is processed before it wakes.
    var isSuspended = false
    var openCalls: [Int: DeliveryCall] = [:]
    /// Uploads under way, by the numbers of their attempts.
    var openUploads: [Int: UploadCall] = [:]
    /// The messages whose results are awaited.
    var waiting: Set<MessageID> = []
    var plannedDeadline: MonotonicTime?
    /// When that deadline was planned: it may have been due already.
    var deadlinePlannedAt = MonotonicTime.zero
    /// The batch whose result is being processed: a crash may still lose the result.
    var judged: Batch?
    /// Failures of its uncharged messages: a crash loses them with the result.
    var uncommittedFailures: [MessageID] = []
    var connection = ConnectionRecord()
    var setbacks: [LaneID: LaneSetbacks] = [:]
    /// The time before which the hub asked not to be called.
    var quietUntil = MonotonicTime.zero
    /// The last departures of each message, and the last probes of the hub.
    var departures: [Link: Moments] = [:]
    var probes = Moments()
    var probesUnderWay = 0
    /// The last history that the hub named, and those that the deliveries under way named, by their batches.
    var history: ServerHistory?
    var named: [Int: ServerHistory] = [:]
    /// True when a crash had interrupted an attempt before this machine started.
    var mayGoOneByOne = false
    /// True when a user paused it and has not resumed it since.
    var isPaused = false

    /// The state that the judge has found in order.
    var found: FoundState?

    // Counted by the world
    /// The number of probes so far.
    var lastProbe = 0
    /// Increases with each start, each logout and each login: responses to an older run are ignored.
    var process = 0
    /// Wall clock minus true time.
    var clockError = Duration.zero
    var wasClockSet = false
    /// Deadlines that were due at the same time.
    var deadlinesAtOnce = 0
    var lastDeadline: MonotonicTime?
    /// The number of links that may have disappeared because messages were resent, or operations folded.
    var removedCount = 0
    /// Increases with each start of any process in the world.
    var birth = 0
    /// True for a process that was frozen and meanwhile restarted elsewhere.
    var isFrozen = false
    /// The client that this one is a second process or copy of; `nil` for the real ones.
    var original: Int?
    /// True when another process or copy of its outbox exists.
    var isShared = false

    init(store: ModelStore, account: UserID) {
        self.store = store
        self.account = account
        lastAccount = account
    }

    var isRunning: Bool { machine != nil }

    /// True when all inputs and actions are processed, and the disk is not in the way.
    var isAtRest: Bool { agenda.isEmpty && inbox.isEmpty && store.isFeedEmpty && !isBusy && !isSuspended }

    /// True when a user has paused it, or has just requested that.
    var isOrWillBePaused: Bool {
        isPaused
            || inbox.contains { input in
                if case .event(.paused) = input { true } else { false }
            }
    }

    /// True when nothing has to be sent to the hub any more.
    var isIdle: Bool {
        openCalls.isEmpty && agenda.isEmpty && inbox.isEmpty && store.isFeedEmpty && !store.hasEntries
    }

    /// Rounds that have ended for the network, while their consequences are not on the disk.
    var unsettled: [Batch] {
        inbox.compactMap { input in
            if case .event(let event) = input { event.endedBatch } else { nil }
        } + [judged].compactMap(\.self)
    }

    /// True when it is not expected to finish: it was superseded, or it is a second one without a login.
    var isLeftAlone: Bool { isSuperseded || (original != nil && account == nil) }

    /// A newer process or copy of the store has taken over.
    var isSuperseded: Bool { machine?.outbox.actionRequired?.cause == .superseded }
}

/// A state of a client and the hub in which the judge has found nothing: it need not look again before something
/// changes.
struct FoundState: Equatable {
    var process: Int
    var machine: Int
    var store: Int
    var hub: Int
    var hubAge: Int
}

extension ModelClient: Candidate {
    var hasPerformedAll: Bool { agenda.isEmpty }
}

extension ModelClient {
    /// A second process on the same state, or a copy of the store with the process that uses it.
    func copy() -> ModelClient {
        let copy = ModelClient(store: store, account: lastAccount)
        copy.account = account
        copy.isDiskFull = isDiskFull
        copy.deletedHere = deletedHere
        copy.machine = machine.map { Machine($0.outbox) }
        copy.inbox = inbox
        copy.missed = missed
        copy.agenda = agenda
        copy.isBusy = isBusy
        copy.isDiskDone = isDiskDone
        copy.isSuspended = isSuspended
        copy.openCalls = openCalls
        copy.openUploads = openUploads
        copy.waiting = waiting
        copy.plannedDeadline = plannedDeadline
        copy.deadlinePlannedAt = deadlinePlannedAt
        copy.judged = judged
        copy.uncommittedFailures = uncommittedFailures
        copy.connection = connection
        copy.setbacks = setbacks
        copy.quietUntil = quietUntil
        copy.departures = departures
        copy.probes = probes
        copy.probesUnderWay = probesUnderWay
        copy.history = history
        copy.named = named
        copy.lastProbe = lastProbe
        copy.mayGoOneByOne = mayGoOneByOne
        copy.isPaused = isPaused
        copy.process = process
        copy.clockError = clockError
        copy.wasClockSet = wasClockSet
        copy.deadlinesAtOnce = deadlinesAtOnce
        copy.lastDeadline = lastDeadline
        copy.removedCount = removedCount
        copy.birth = birth
        copy.isFrozen = isFrozen
        copy.original = original
        copy.isShared = isShared
        return copy
    }
}
