public import CausewayModels

/// An event of the outbox that requires no action.
public struct SyncNotice: Sendable, Hashable, Codable {
    public enum Kind: String, Sendable, Hashable, Codable, CaseIterable {
        /// Another copy of this store has delivered: it was restored from a backup, or copied. The outbox continues
        /// under a new id; nothing is delivered twice.
        case storeCopied
        /// The server's data were restored from a backup. Messages that it lost and this store still has are delivered
        /// again, in their order; so are deletions.
        case serverRestored
        /// Another server responds under the same address. Messages delivered from here are delivered again.
        case serverReplaced
        /// The store lost its most recent commits: part of its files was lost by the disk or removed.
        case storeLostCommits
    }

    public let kind: Kind
    public let at: Timestamp
    /// A description of the event.
    public let detail: String
}
