public import CausewayModels

/// How the outbox behaves. The defaults are the documented behaviour.
public struct OutboxConfiguration: Sendable, Hashable {
    /// How often, and how long after a failure, a message is tried again.
    public var retry: RetryPolicy = .documented
    /// What becomes of a lane when its head fails for good.
    public var headFailure = HeadFailurePolicy.continue
    /// A message that has waited longer than this since it was created or last resent becomes `error` (expired) instead
    /// of being sent late; `nil` when messages never expire, which is the documented behaviour.
    ///
    /// Wall clocks that jump make nothing expire while the program runs. An attempt under way is waited for. What waits
    /// for another message does not age, and nothing expires while nobody is logged in.
    public var expiry: Duration?
    /// How long the server must have been reachable again before anything is sent.
    public var settlingTime: Duration = .seconds(1)
    /// The pause before the first probe after the server became unreachable; doubles with every failed one.
    public var probeInterval: Duration = .seconds(1)
    /// The longest pause between probes.
    public var probeIntervalMax: Duration = .seconds(15)
    /// The pause between probes while something needs attention: whatever a probe comes to, there is a next one.
    public var attentionProbeInterval: Duration = .seconds(10)
    /// How long the way must have been good before an outage starts again at the shortest pause.
    public var stableAfter: Duration = .seconds(30)
    /// The shortest pause after a server asked to wait, however little it asked for.
    public var rateLimitWaitMin: Duration = .seconds(1)
    /// The longest that a server's `Retry-After` is obeyed for.
    public var rateLimitWaitMax: Duration = .seconds(3600)
    /// Deliveries of one lane under way at once; the transport may allow fewer.
    public var deliveriesInFlightMax = 1
    /// Deliveries of all lanes under way at once; the transport may allow fewer. Lanes that find no room take turns.
    public var deliveriesInFlightTotalMax = 16
    /// Operations in one delivery.
    public var batchOperationsMax = Limits.batchOperationsMax
    /// Bytes of content in one delivery.
    public var batchBytesMax = Limits.batchBytesMax

    /// Which lane waits for what stands earlier in which other lane: ``OrderingPolicy/precedence``. Holds no circle.
    package var precedence: [LaneID: LaneID] = [:]

    public init() {}
}
