/// The guarantee behind a store's acknowledgement of a write.
///
/// A store on a disk is opened with one of them, and holds it for every call of ``Store/enqueue(_:)``,
/// ``Store/commit(_:)`` and ``Store/start(_:)``. A store in memory holds neither.
public enum Durability: String, Sendable, Hashable, Codable, CaseIterable {
    /// Survives power loss: every commit waits for the disk. The default of the programs.
    case full
    /// Survives the end of the process; a power loss may lose the last commits, but never consistency.
    case normal
}
