/// The server's result for one operation of a delivery.
public enum DeliveryOutcome: Sendable, Hashable {
    /// The server has the message, at this position. A repeat returns the first placement again.
    case accepted(ServerPosition)
    /// Result of a fence: the server has no copy, and will accept no late one with this sequence.
    case fenced
    /// Result of a deletion: the message is no longer on the server.
    case deleted
    /// Refused permanently; the lane advanced past it.
    case refused(code: String, detail: String)
    /// Refused because the message that it refers to is not on the server; the lane advanced past it.
    case unrelated(detail: String)
    /// Not applied now, nor anything after it. `after` is the time that the server asked to wait, if it did.
    case tryLater(code: String, detail: String, after: Duration?)
    /// Not processed, because of an earlier operation.
    case notAttempted
    /// An earlier operation is missing: the lane's high-water mark is `mark`.
    case gap(mark: Int64)
    /// Below the lane's mark, and unknown: it was never accepted, and with this sequence never will be.
    case late(mark: Int64)
}
