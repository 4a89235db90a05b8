/// A fault planted in the hub on purpose, to show that a simulator would find it. None of them exists outside tests.
package enum HubSabotage: String, CaseIterable, Sendable {
    /// It does not remember what it accepted.
    case forgetsMessages
    /// Its marks do not survive its restart.
    case forgetsMarks
    /// It answers a fence, but does not keep the mark that bars late copies.
    case fencesLeaveNoMark
    /// It applies an operation although something before it is missing.
    case ignoresGaps
}
