/// An event after which pages should be requested from the server again.
package enum RefreshTrigger: Sendable, Hashable {
    /// A session began or ended: data that the server returned in the previous one may be out of date.
    case sessionChanged
    /// The server can be reached again, or accepts the account again.
    case reachable
    /// Pages that could not be read may be readable now; all others are unchanged.
    case pagesDue
}
