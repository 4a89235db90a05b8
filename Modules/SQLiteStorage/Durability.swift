/// The guarantee behind a store's acknowledgement of a write.
public enum Durability: String, Sendable, Hashable, Codable, CaseIterable {
    /// Survives power loss: every commit waits for the disk. The default.
    case full
    /// Survives the end of the process; a power loss may lose the last commits, but never consistency.
    case normal
}
