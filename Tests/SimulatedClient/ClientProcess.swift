import Causeway
import CausewayModels
import CausewayStorage

/// One run of a client on a device: from its opening to its end, and a little longer.
///
/// The tasks of a process that crashed are not stopped, for nothing can stop them: they find that their store takes
/// nothing any more and that nothing they send arrives, so that nobody can tell it from a process that is gone.
struct ClientProcess {
    enum Life {
        case opening
        case running
        /// Somebody closes it.
        case closing
        /// A copy of its store was opened elsewhere, and it goes on with its own.
        case isCopied
        case dead
    }

    let device: Int
    let disk: MemoryStore
    var life = Life.opening {
        didSet { if life == .isCopied { wasCopied = true } }
    }
    /// A copy of its store was opened elsewhere, now or before its end.
    private(set) var wasCopied = false
    var client: CausewayClient?
    var store: DeviceStore?
    var mirror = Mirror()
    var mirrorFeed: StoreSubscription?
    /// What it presented to the hub last: a login that was turned down leaves the one before in use.
    var tokenPresented: String?
    /// Every transport it made.
    var transports: [SimulatedTransport] = []
    /// Those that a session uses whose login was confirmed to somebody.
    var confirmed: [SimulatedTransport] = []
    /// Calls of `deleteFailedMessages` that have not returned.
    var bulkDeletions = 0
    /// How often somebody asked to go on after a pause.
    var resumptions = 0
    var resumptionsUnderWay = 0
    /// Messages that came into its store in this run.
    var enqueued = 0
    /// What was pending when each session ended, and how many messages had come by then.
    var logouts: [(pending: Int, enqueued: Int)] = []
    /// Since when nothing may be sent, because a pause was confirmed.
    var pausedSince: MonotonicTime?
    /// Waits for results that have not ended, by message.
    var waiting: [MessageID: Int] = [:]
    /// When each message left last, and when it looked for the hub.
    var departures: [MessageID: Moments] = [:]
    var probes = Moments()
    /// How often it went over to another history of the hub.
    var changesOfHistory = 0
    /// The disk is busy with earlier commits until then.
    var diskBusyUntil = MonotonicTime.zero
    /// Sabotage: the store before the last commit.
    var beforeLastCommit: MemoryStore?

    init(device: Int, disk: MemoryStore) {
        self.device = device
        self.disk = disk
    }

    /// It owns the device's store, and what it tells people counts.
    var isWitnessed: Bool {
        switch life {
        case .opening, .running, .closing: true
        case .isCopied, .dead: false
        }
    }
}

/// What a crash leaves: a disk, the tokens beside it, and a clock.
struct Device {
    var disk = MemoryStore()
    let credentials = MemoryCredentialStore()
    /// The process that owns the store now.
    var process: Int?
    /// How wrong its wall clock is.
    var clockOffset = Duration.zero
    var diskFullUntil = MonotonicTime.zero
    var diskSlowUntil = MonotonicTime.zero
    /// No way to the hub.
    var cutUntil = MonotonicTime.zero
    /// A copy of its store went on beside it: numbers of its lanes may be used up by that.
    var wasCopied = false
    /// Who was logged in last, as its store has it.
    var session: Session?
}
