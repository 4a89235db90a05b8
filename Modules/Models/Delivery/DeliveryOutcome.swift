/// What the server said of one operation of a delivery.
public enum DeliveryOutcome: Sendable, Hashable {
    /// The server has the message, in this place. A repeat is answered with the first placement.
    case accepted(Placement)
    /// Answer to a fence: the server has no copy, and takes no late one with this sequence.
    case fenced
    /// Answer to a deletion: the message is not on the server any more.
    case deleted
    /// Refused for good; the lane went on.
    case refused(code: String, detail: String)
    /// Refused because the message that it is about is not on the server; the lane went on.
    case unrelated(detail: String)
    /// Not now; nothing after it was applied. With `after`, the server asked to wait that long.
    case tryLater(code: String, detail: String, after: Duration?)
    /// Not looked at, because of something before it.
    case notAttempted
    /// Something before it is missing: the lane stands at `mark`.
    case gap(mark: Int64)
    /// Below the lane's mark, and unknown: never accepted, and never will be with this sequence.
    case late(mark: Int64)
}
