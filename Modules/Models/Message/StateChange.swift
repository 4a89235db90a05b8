/// One step of a message's story.
public struct StateChange: Sendable, Hashable {
    /// The state that it came into.
    public let state: SyncState
    /// When, by the clock of this device.
    public let at: Timestamp

    public init(state: SyncState, at: Timestamp) {
        self.state = state
        self.at = at
    }
}
