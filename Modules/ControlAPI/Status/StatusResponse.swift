package import CausewayModels

/// The status, as JSON.
package struct StatusResponse: Sendable, Hashable, Codable {
    package struct Link: Sendable, Hashable, Codable {
        /// `unknown`, `offline`, `settling` or `online`.
        package let state: String
        package var detail: String?
        package var since: String?
        package var sinceMs: Int64?
        /// For `offline`: when the server is probed again. For `settling`: when it ends.
        package var until: String?
        package var untilMs: Int64?

        init(_ connectivity: Connectivity) {
            switch connectivity {
            case .unknown: state = "unknown"
            case .offline(let detail, let since, let nextProbe):
                state = "offline"
                self.detail = detail
                self.since = since.description
                sinceMs = since.milliseconds
                until = nextProbe?.description
                untilMs = nextProbe?.milliseconds
            case .settling(let until):
                state = "settling"
                self.until = until.description
                untilMs = until.milliseconds
            case .online: state = "online"
            }
        }
    }

    /// Whether changes on the server arrive by themselves.
    package struct Events: Sendable, Hashable, Codable {
        /// `none`, `waiting`, `catchingUp`, `upToDate` or `interrupted`.
        package let state: String
        /// For `interrupted`: the reason, and when the events are requested again.
        package var detail: String?
        package var retryAt: String?
        package var retryAtMs: Int64?

        init(_ events: EventsStatus) {
            switch events {
            case .none: state = "none"
            case .waiting: state = "waiting"
            case .catchingUp: state = "catchingUp"
            case .upToDate: state = "upToDate"
            case .interrupted(let detail, let retryAt):
                state = "interrupted"
                self.detail = detail
                self.retryAt = retryAt.description
                retryAtMs = retryAt.milliseconds
            }
        }
    }

    package struct Counts: Sendable, Hashable, Codable {
        package let created: Int
        package let uploading: Int
        package let syncing: Int
        /// Failed messages, edits and reactions.
        package let error: Int
        /// Failed messages, included in `error`; absent from an older daemon.
        package let failedMessages: Int?
        package let undelivered: Int
        package let undeliveredBytes: Int
        /// Messages that wait for a failed one; absent from an older daemon.
        package let blocked: Int?

        init(_ counts: StoreCounts) {
            created = counts.created
            uploading = counts.uploading
            syncing = counts.syncing
            error = counts.error
            failedMessages = counts.failedMessages
            undelivered = counts.undelivered
            undeliveredBytes = counts.undeliveredBytes
            blocked = counts.blocked
        }

        /// Messages that need no action: all undelivered ones except the failed and the blocked.
        package var waiting: Int { undelivered - error - (blocked ?? 0) }

        /// Failed messages apart from failed edits and reactions; an older daemon does not distinguish them.
        package var failed: OperationCount {
            let messages = failedMessages ?? error
            return OperationCount(messages: messages, changes: error - messages)
        }
    }

    package struct Lane: Sendable, Hashable, Codable {
        package let lane: String
        package let depth: Int
        package let head: MessageID?
        /// When the head was created; absent for the remaining lanes when there are more than
        /// ``ControlLimits/laneHeadsMax``.
        package let headCreatedAt: String?
        package let headCreatedAtMs: Int64?
        package let wait: WaitReasonDTO?
        package let waitText: String?

        init(_ lane: SyncStatus.Lane, headCreatedAt: Timestamp?) {
            self.lane = lane.lane.rawValue
            depth = lane.depth
            head = lane.head
            self.headCreatedAt = headCreatedAt?.description
            headCreatedAtMs = headCreatedAt?.milliseconds
            wait = lane.headWait.map(WaitReasonDTO.init)
            waitText = lane.headWait?.description
        }
    }

    /// The process that owns the store.
    package struct Process: Sendable, Hashable, Codable {
        package let pid: Int32
        package let version: String
        /// The folder of the store.
        package let store: String
        /// True for the daemon, false for a command that opened the store itself.
        package let isDaemon: Bool

        package init(pid: Int32, version: String, store: String, isDaemon: Bool) {
            self.pid = pid
            self.version = version
            self.store = store
            self.isDaemon = isDaemon
        }
    }

    package let session: SessionDTO?
    package let connectivity: Link
    /// A problem that requires action by a user.
    package let attention: ActionRequired?
    package let paused: Bool
    /// Why nothing is sent at all; absent otherwise.
    package let wait: WaitReasonDTO?
    package let waitText: String?
    package let storeProblem: String?
    package let counts: Counts
    package let lanes: [Lane]
    /// Messages that the server confirmed during this run.
    package let delivered: Int
    /// The server's description of itself.
    package let server: String?
    package let epoch: Int64
    /// Events of this run that require no action; absent when there were none.
    package let notices: [SyncNotice]?
    /// Absent from an older daemon.
    package let events: Events?
    package let process: Process

    /// - Parameter headsCreatedAt: when the heads of the lanes were created, as far as known.
    package init(_ status: SyncStatus, headsCreatedAt: [MessageID: Timestamp] = [:], process: Process) {
        session = status.session.map(SessionDTO.init)
        connectivity = Link(status.connectivity)
        attention = status.actionRequired
        paused = status.isPaused
        wait = status.waitReason.map(WaitReasonDTO.init)
        waitText = status.waitReason?.description
        storeProblem = status.storeProblem
        counts = Counts(status.counts)
        lanes = status.lanes.map { lane in
            Lane(lane, headCreatedAt: lane.head.flatMap { headsCreatedAt[$0] })
        }
        delivered = status.deliveredCount
        server = status.server
        epoch = status.epoch
        notices = status.notices.isEmpty ? nil : status.notices
        events = Events(status.events)
        self.process = process
    }
}

/// The status and the recent delivery history, as JSON.
package struct ActivityResponse: Sendable, Hashable, Codable {
    /// The number of the store's last commit: increases with every change of a message within this run of the daemon;
    /// restarts with the next run.
    package let version: Int64
    package let status: StatusResponse
    /// Messages that reached the server in each of the last 60 minutes, oldest first; the last minute is incomplete.
    package let drainedPerMinute: [Int]

    package init(version: Int64, status: StatusResponse, drainedPerMinute: [Int]) {
        self.version = version
        self.status = status
        self.drainedPerMinute = drainedPerMinute
    }
}
