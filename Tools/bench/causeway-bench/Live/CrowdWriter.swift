import CausewayModels
import CausewaySQLiteStorage
import CausewayStorage

/// Edits messages in the windows of a crowd, one after the other, each in a commit of its own.
struct CrowdWriter: Sendable {
    let store: FilledStore
    private var edits: Int

    /// - Parameter edits: above those of every earlier writer: of two edits of a message the higher one counts.
    init(store: FilledStore, after edits: Int) {
        self.store = store
        self.edits = edits
    }

    /// - Returns: commits a second.
    @concurrent
    mutating func rate(_ changes: Int) async throws -> Double {
        let start = ContinuousClock.now
        try await write(changes)
        return Double(changes) / (ContinuousClock.now - start).seconds
    }

    /// Edits messages of all channels, and of the window of each.
    ///
    /// - Parameter depth: the number of messages of a window that are edited.
    @concurrent
    mutating func write(_ changes: Int, depth: Int = Crowd.rows) async throws {
        for _ in 0..<changes {
            edits += 1
            let (place, channel) = edits.quotientAndRemainder(dividingBy: store.channels.count)
            let message = store.messagesPerChannel - 1 - place % depth
            try await store.store.commit([
                store.merge(message, in: channel, saying: "Edit \(edits).", edit: edits)
            ])
        }
    }
}
