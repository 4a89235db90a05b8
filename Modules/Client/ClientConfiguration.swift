public import CausewayModels
public import CausewayOutbox

/// How a client behaves. The defaults are the documented behaviour.
public struct ClientConfiguration: Sendable, Hashable {
    /// Which messages keep their order among each other.
    public var ordering: OrderingPolicy = .laned
    /// What happens at the start to what the previous run left undelivered.
    public var restart: RestartPolicy = .fail
    public var outbox = OutboxConfiguration()

    public init() {}
}
