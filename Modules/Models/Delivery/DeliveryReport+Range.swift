/// Marks and positions come from outside. What is out of range is never taken in: arithmetic on it could trap,
/// and a mark that no sequence can exceed would have a lane numbered anew without end.
extension DeliveryReport {
    /// False when an outcome holds a number that no server of good faith can have sent.
    package var isInRange: Bool { outcomes.allSatisfy(\.isInRange) }
}

extension DeliveryOutcome {
    package var isInRange: Bool {
        switch self {
        case .accepted(let placement): placement.isInRange
        case .gap(let mark), .late(let mark): (0..<Limits.sequenceMax).contains(mark)
        case .fenced, .deleted, .refused, .unrelated, .tryLater, .notAttempted: true
        }
    }
}

extension Placement {
    package var isInRange: Bool { (1...Limits.positionMax).contains(position) }
}
