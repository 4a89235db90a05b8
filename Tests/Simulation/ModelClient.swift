import CausewayModels
import CausewayOutbox

/// One client: what is on its disk, and what its running process holds in memory.
struct ModelClient {
    // On disk
    var store: ModelStore
    var isLoggedIn = false

    // In memory: gone with a crash
    /// `nil` while no process runs.
    var outbox: Outbox?
    var openCalls: [Int: Call] = [:]
    /// Who waits for the result of a message.
    var waiting: Set<MessageID> = []
    var plannedDeadline: MonotonicTime?
    /// The round whose result is being dealt with: a crash may still take the result away.
    var judged: DeliveryRound?

    // Counted by the world
    /// Grows with each start and each logout: answers to an older one are nobody's.
    var process = 0
    var actsLeft: Int

    /// Nothing has to be said to the hub any more.
    var isIdle: Bool { store.entries.isEmpty && openCalls.isEmpty && store.feed.isEmpty }
}
