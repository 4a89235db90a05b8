import Causeway
import CausewayModels
import CausewaySimulationKernel
import CausewayStorage

/// One run of a client on a device: from its opening to its end, and shortly beyond.
///
/// The tasks of a crashed process cannot be stopped: they find that their store rejects everything and that nothing
/// they send arrives, so that the process is indistinguishable from one that is gone.
struct ClientProcess {
    enum Life {
        case opening
        case running
        /// A user is closing it.
        case closing
        /// A copy of its store was opened elsewhere, and it continues with its own.
        case isCopied
        case dead
    }

    let device: Int
    let disk: any DeviceDisk
    var life = Life.opening {
        didSet { if life == .isCopied { wasCopied = true } }
    }
    /// True when a copy of its store was opened elsewhere, now or before its end.
    private(set) var wasCopied = false
    var client: CausewayClient?
    var store: DeviceStore?
    var mirror = Mirror()
    var mirrorFeed: StoreSubscription?
    /// The token it presented to the hub last: a rejected login leaves the previous one in use.
    var tokenPresented: String?
    /// True when its session was resumed without a token: only a login gives it one.
    var lacksToken = false
    /// Every transport it made.
    var transports: [SimulatedTransport] = []
    /// The transports of sessions whose login was confirmed to a user.
    var confirmed: [SimulatedTransport] = []
    /// Calls of `deleteFailedMessages` that have not returned.
    var bulkDeletions = 0
    /// True when the disk rejected a commit while it was closed: attempts that were cut off remain counted.
    var hasFailedClosing = false
    /// When the disk last rejected a read; `nil` if it never has.
    var lastRejectedRead: MonotonicTime?
    /// The number of requests to resume after a pause.
    var resumptions = 0
    var resumptionsUnderWay = 0
    /// The number of messages that entered its store in this run.
    var enqueued = 0
    /// The pending messages at the end of each session, and the number of messages enqueued by then.
    var logouts: [(pending: Int, enqueued: Int)] = []
    /// True from a request to pause to the end of one to resume.
    var mayBePaused = false
    /// When sending was confirmed to be paused; `nil` while it is not.
    var pausedSince: MonotonicTime?
    /// The number of waits for results that have not ended, by message.
    var waiting: [MessageID: Int] = [:]
    /// The last departures of each message, and the last probes of the hub.
    var departures: [MessageID: Moments] = [:]
    /// Messages with an attempt in flight that the store has recorded.
    var attempted: Set<MessageID> = []
    var probes = Moments()
    /// The requests for pages since the hub last stored something that this process had sent.
    var pageRequests = Moments()
    /// The last state of each open list.
    var lists: [ChannelID: LiveCollectionChange<Message>] = [:]
    /// The status that a screen shows; `nil` if none has been shown.
    var shownStatus: SyncStatus?
    /// The mark ahead of everything that it sent, which the hub has once reported to it.
    var markAhead: Int64?
    /// The number of its deliveries under way.
    var openDeliveries = 0
    /// The number of changes to another history of the hub.
    var changesOfHistory = 0
    /// The disk is busy with earlier commits until this time.
    var diskBusyUntil = MonotonicTime.zero
    /// A store in memory as a disk would have confirmed it; `nil` if that is all of it.
    var confirmedDisk: (any DeviceDisk)?
    /// Planted fault: the store before the last commit.
    var beforeLastCommit: (any DeviceDisk)?

    init(device: Int, disk: any DeviceDisk) {
        self.device = device
        self.disk = disk
    }

    /// True while it owns the device's store and its reports to users count.
    var isWitnessed: Bool {
        switch life {
        case .opening, .running, .closing: true
        case .isCopied, .dead: false
        }
    }
}

/// The state that survives a crash: a disk, the tokens beside it, and a clock.
struct Device {
    var disk: any DeviceDisk
    let credentials = MemoryCredentialStore()
    /// The process that owns the store now.
    var process: Int?
    /// The error of its wall clock.
    var clockOffset = Duration.zero
    var diskFullUntil = MonotonicTime.zero
    var diskSlowUntil = MonotonicTime.zero
    /// The device has no network until this time.
    var cutUntil = MonotonicTime.zero
    /// Messages that were deleted when the hub's events left out changes of a channel: the deletion of one that no list
    /// shows is learned when a list does.
    var unlistedDeletions: Set<MessageID> = []
    /// True when a copy of its store continued beside it, which may have used up sequence numbers of its lanes.
    var wasCopied = false
    /// The number of messages that any device had created when its store was last copied: those of its own among them
    /// are the copy's, too.
    var createdBeforeCopy = 0
    /// Messages that each user deleted here; on the hub another user's message remains.
    var deletedHere: [UserID: Set<MessageID>] = [:]
    /// The session of the last login, as stored.
    var session: Session? {
        didSet { if let oldValue, oldValue.user != session?.user { accountChanges += 1 } }
    }
    /// How often another account became the current one.
    private(set) var accountChanges = 0

    init(disk: any DeviceDisk) { self.disk = disk }
}
