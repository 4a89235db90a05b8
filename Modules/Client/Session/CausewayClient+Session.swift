public import CausewayModels

extension CausewayClient {
    /// The session at this moment, without waiting; `nil` if no user is logged in.
    public var session: Session? { engine.currentSession }

    /// The status from now on: session, connectivity, required user action, lanes, counts. Needs no main actor.
    ///
    /// ```swift
    /// for await status in client.liveStatus() { show(status.connectivity) }
    /// ```
    public func liveStatus() -> StatusChanges { StatusChanges(engine: engine, store: store, runtime: runtime) }
}
