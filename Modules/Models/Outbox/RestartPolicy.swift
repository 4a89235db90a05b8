/// The treatment of undelivered messages when a client starts on a store.
public enum RestartPolicy: String, Sendable, Hashable, Codable, CaseIterable {
    /// They become `error` (session ended). The documented behaviour, and the default.
    case fail
    /// They remain in the queue and are delivered in their old order, exactly once.
    case resume
}
