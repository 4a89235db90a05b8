/// The server's part of a query: asks for pages of it, and puts what comes into the store.
///
/// What an implementation promises: what it stored has been told by the store's feed when ``load(_:)`` returns, and a
/// call ends soon after its task was cancelled.
package protocol LiveRemote: Sendable {
    /// Asks for a page and merges it into the store.
    ///
    /// - Returns: true when the server has more beyond it.
    func load(_ page: LiveRemotePage) async throws -> Bool
}

/// A page to ask the server for, as the collection shows it.
package enum LiveRemotePage: Sendable, Hashable {
    /// The one at the query's anchor.
    case first
    /// One beyond the end.
    case next
    /// One before the start.
    case previous
}
