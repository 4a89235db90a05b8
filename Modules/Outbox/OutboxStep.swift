import CausewayModels
import CausewayStorage

/// The handling of one event: its time, and the actions decided so far.
///
/// Mutations that must become durable together are written one after the other and closed by ``commit()``; completions
/// follow the commit that makes them true. Every decision of the outbox receives the step as its context, so that the
/// order of the calls is the order of the actions.
struct OutboxStep {
    /// The time of the event; the same for all its consequences.
    let clock: ClockReading
    /// The actions in the order in which the driver performs them.
    private(set) var actions: [OutboxAction] = []
    /// The commit that is being composed.
    private var mutations: [Mutation] = []
    /// The completions that follow it.
    private var completions: [OutboxAction] = []

    init(at clock: ClockReading) { self.clock = clock }

    /// The number of mutations in the commit that is being composed.
    var mutationCount: Int { mutations.count }

    /// Adds an action that does not depend on the commit being composed: it comes before that one.
    mutating func perform(_ action: OutboxAction) { actions.append(action) }

    /// Adds a mutation to the commit that is being composed.
    mutating func write(_ mutation: Mutation) { mutations.append(mutation) }

    /// Completes the waiters of the message after the commit that is being composed.
    mutating func complete(_ message: MessageID, _ result: DeliveryResult) {
        completions.append(.complete(message, result))
    }

    /// Completes the waiters of the message with its stored state after the commit that is being composed.
    mutating func completeAsStored(_ message: MessageID) { completions.append(.completeAsStored(message)) }

    /// Closes the commit that is being composed; without mutations only its completions follow.
    mutating func commit() {
        if !mutations.isEmpty { actions.append(.commit(mutations)) }
        actions += completions
        mutations = []
        completions = []
    }
}
