/// The engine's view of the connection to the server.
public enum Connectivity: Sendable, Hashable, Codable {
    /// Not tried yet.
    case unknown
    /// Not reachable; `detail` describes why.
    case offline(detail: String, since: Timestamp, nextProbe: Timestamp?)
    /// Reachable again, for less than the required stable time.
    case settling(until: Timestamp)
    /// Reachable.
    case online
}
