/// What the engine knows of the way to the server.
public enum Connectivity: Sendable, Hashable, Codable {
    /// Not tried yet.
    case unknown
    /// Not reachable, with the reason in words.
    case offline(detail: String, since: Timestamp, nextProbe: Timestamp?)
    /// Reachable again, for less than the settling time.
    case settling(until: Timestamp)
    /// Reachable.
    case online
}
