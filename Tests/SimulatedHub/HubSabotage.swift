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
    /// It takes deliveries of an older epoch.
    case ignoresEpochs
    /// It answers a deletion, and keeps the message.
    case deletesNothing
    /// It answers before its transaction is on the disk, and a restart takes the last one away.
    case answersBeforeCommitting
    /// It applies what stands behind an operation that it put off.
    case goesOnAfterTryLater
}
