/// One state change in the delivery history of a message.
public struct StateChange: Sendable, Hashable {
    /// The new state.
    public let state: SyncState
    /// The time of the change, by the clock of this device.
    public let at: Timestamp

    public init(state: SyncState, at: Timestamp) {
        self.state = state
        self.at = at
    }
}
