public import CausewayModels

/// Something that happened to the outbox, and that needs nobody to act for it to go on.
public struct SyncNotice: Sendable, Hashable, Codable {
    public enum Kind: String, Sendable, Hashable, Codable, CaseIterable {
        /// Another copy of this store has delivered: it was restored from a backup, or copied. The outbox goes on under
        /// a new id; nothing is delivered twice.
        case storeCopied
        /// The server's data were restored from a backup. What it lost and this store still has is delivered again, in
        /// its order; so are deletions.
        case serverRestored
        /// Another server answers under the same address. What was delivered from here is delivered again.
        case serverReplaced
        /// The store lost what was written last: its disk, or somebody, took a part of it away.
        case storeLostCommits
    }

    public let kind: Kind
    public let at: Timestamp
    /// What happened, in words.
    public let detail: String
}
