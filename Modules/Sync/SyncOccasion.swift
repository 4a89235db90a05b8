/// Something came about that makes it worth while to ask the server for pages again.
package enum SyncOccasion: Sendable, Hashable {
    /// A session began or ended: what the server told the one before is nothing to rely on.
    case sessionChanged
    /// The server can be reached again, or takes the account again.
    case reachable
    /// A page that could not be read may be readable now; all others are as they were.
    case pagesDue
}
