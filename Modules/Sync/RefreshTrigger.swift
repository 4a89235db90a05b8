package import CausewayModels

/// An event that concerns others than the engine: after most of them pages should be requested from the server again,
/// or are known not to be necessary.
package enum RefreshTrigger: Sendable, Hashable {
    /// A session began or ended: data that the server returned in the previous one may be out of date.
    case sessionChanged
    /// The server can be reached again, or accepts the account again.
    case reachable
    /// Pages that could not be read may be readable now; all others are unchanged.
    case pagesDue
    /// All pages may be out of date: events are followed from here on, and tell nothing about the time before; or a
    /// page of records contradicts another one that arrived meanwhile.
    case stateDue
    /// More changed in these channels than events list.
    case channelsDue(Set<ChannelID>)
    /// A page of the channel contradicts what arrived meanwhile: the changes since then would not show the cause.
    case channelContradicted(ChannelID)
    /// Events have been missing for long; see ``FollowedEvents``.
    case eventsOutdated
    /// Events have brought everything that the server has; see ``FollowedEvents/isBrought(through:in:since:)``.
    case eventsCaughtUp
    /// Nothing is sent before a user, or the application, has acted.
    case actionRequired(ActionRequired)
}
