/// Range checks for marks and positions, which come from outside. Values out of range are rejected: arithmetic on them
/// could trap, and a mark that no sequence can exceed would renumber a lane endlessly.
extension DeliveryReport {
    /// False if an outcome holds a number that a correct server cannot have sent.
    package var isInRange: Bool { outcomes.allSatisfy(\.isInRange) }
}

extension DeliveryOutcome {
    package var isInRange: Bool {
        switch self {
        case .accepted(let serverPosition): serverPosition.isInRange
        case .gap(let mark), .late(let mark): (0..<Limits.sequenceMax).contains(mark)
        case .fenced, .deleted, .refused, .unrelated, .tryLater, .notAttempted: true
        }
    }
}

extension ServerPosition {
    package var isInRange: Bool { (1...Limits.positionMax).contains(position) }
}
