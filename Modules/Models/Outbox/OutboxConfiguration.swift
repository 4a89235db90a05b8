/// The configuration of the outbox. The defaults are the documented behaviour.
public struct OutboxConfiguration: Sendable, Hashable {
    /// The number of retries, and the pauses between them.
    public var retry: RetryPolicy = .documented
    /// The effect on a lane of a permanent failure of its head.
    public var headFailure = HeadFailurePolicy.continue
    /// A message that has waited longer than this since it was created or last resent becomes `error` (expired) instead
    /// of being sent late; `nil` if messages never expire, which is the documented behaviour.
    ///
    /// Changes of the wall clock cause no expiry while the program runs. An attempt under way is awaited. A message
    /// that waits for another one does not age, and nothing expires while no user is logged in.
    public var expiry: Duration?
    /// The time that the server must have been reachable again before anything is sent.
    public var settlingTime: Duration = .seconds(1)
    /// The pause before the first probe after the server became unreachable; doubles with every failed probe.
    public var probeInterval: Duration = .seconds(1)
    /// The longest pause between probes.
    public var probeIntervalMax: Duration = .seconds(15)
    /// The pause between probes while user action is required: whatever the result of a probe, another one follows.
    public var recoveryProbeInterval: Duration = .seconds(10)
    /// The longest time that an idle client goes without hearing from the server before it probes: so it detects that
    /// its token was refused or that the server lost data. Probes are spread over the last 40 % of the interval, which
    /// is at least one second. `nil` if an idle client is to detect this with its next request.
    public var idleProbeInterval: Duration?
    /// The time that the connection must have been stable before an outage starts again at the shortest pause.
    public var stableAfter: Duration = .seconds(30)
    /// The shortest pause after a server asked to wait, even if it asked for less.
    public var rateLimitWaitMin: Duration = .seconds(1)
    /// The longest `Retry-After` of a server that is obeyed.
    public var rateLimitWaitMax: Duration = .seconds(3600)
    /// The maximum number of batches of one lane that are under way at once; the transport may allow fewer.
    public var deliveriesInFlightMax = 6
    /// The maximum number of batches of all lanes that are under way at once; the transport may allow fewer. Lanes that
    /// find no room take turns.
    public var deliveriesInFlightTotalMax = 16
    /// The maximum number of attachments that are uploaded at once, over all lanes; the oldest messages first. At least
    /// 1.
    public var uploadsMax = 2
    /// The maximum number of operations in one batch; the transport may allow fewer.
    public var batchOperationsMax = Limits.batchOperationsMax
    /// The maximum size of the content in one batch, in bytes; a single message may be larger. The transport may allow
    /// less.
    public var batchBytesMax = Limits.batchBytesMax

    /// For each lane that waits for earlier entries of another lane, that other lane: ``OrderingPolicy/precedence``.
    /// Contains no cycle.
    package var precedence: [LaneID: LaneID] = [:]

    /// Creates the documented configuration; change the properties that shall differ.
    public init() {}
}

/// The effect on a lane of a permanent failure of its head (refused, out of retries, expired, unsendable).
public enum HeadFailurePolicy: String, Sendable, Hashable, Codable, CaseIterable {
    /// The lane continues with the next message. The documented behaviour, and the default.
    case `continue`
    /// The lane is paused until every message of it that failed so is resent or deleted, or the session ends; other
    /// lanes are not affected. A pause survives a restart of the process.
    ///
    /// An operation (edit, reaction) never pauses its lane, nor does a reply whose parent does not exist or was
    /// deleted.
    ///
    /// For messages that make no sense without those before them. To guarantee that, each batch carries one message and
    /// waits for the response to the one before: a backlog costs a round trip for each message.
    case pauseLane
}

/// The treatment of undelivered messages when a client starts on a store.
public enum RestartPolicy: String, Sendable, Hashable, Codable, CaseIterable {
    /// They become `error` (session ended). The documented behaviour, and the default.
    case fail
    /// They remain in the queue and are delivered in their old order, exactly once.
    case resume
}
