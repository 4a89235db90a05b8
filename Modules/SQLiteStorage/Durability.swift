/// What a store's acknowledgement is worth.
public enum Durability: String, Sendable, Hashable, Codable, CaseIterable {
    /// Survives power loss: every commit waits for the disk. The default.
    case full
    /// Survives the end of the process; power loss may take the last commits, never the consistency.
    case normal
}
