/// The way in which changes on the server arrive at a client.
public enum EventsStatus: Sendable, Hashable, Codable {
    /// No session, a server without events, or a client that does not follow them: changes are seen when lists are
    /// requested.
    case none
    /// The events will be read as soon as the server can be reached.
    case waiting
    /// The events since the client was last connected are being read.
    case catchingUp
    /// Everything that the server has for the account is stored, and what is new arrives by itself.
    case upToDate
    /// The events could not be read, for this reason; the next attempt is at `retryAt`.
    case interrupted(detail: String, retryAt: Timestamp)
}
