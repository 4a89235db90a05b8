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
    /// It forgets a deletion of what has not arrived yet.
    case forgetsEarlyDeletions
    /// It answers before its transaction is on the disk, and a restart takes the last one away.
    case answersBeforeCommitting
    /// It applies what stands behind an operation that it put off.
    case goesOnAfterTryLater
    /// It applies what stands behind a gap.
    case goesOnAfterGap
    /// It stores a late copy of what its lane has passed.
    case takesLateCopies
    /// It answers a repeat with another place than the first time.
    case answersRepeatsAnew
    /// It answers a fence about what it has as if it had it not.
    case fencesWhatItHas
    /// It names a wrong mark where something is missing.
    case namesAWrongMark
    /// It says of what was passed that it refuses it.
    case callsLateRefused
    /// What it refuses moves no mark.
    case refusalsLeaveNoMark
    /// What is about a message that is not there moves no mark.
    case unrelatedLeavesNoMark
    /// What it puts off moves the mark.
    case passesWhatItPutsOff
    /// It keeps one mark for all lanes of an outbox.
    case sharesMarks
    /// It hands out the last position again after its restart.
    case reusesPositions
    /// It deletes what somebody else wrote.
    case deletesForAnybody
    /// It edits what somebody else wrote.
    case editsForAnybody
    /// It does what is about a message that it does not have.
    case doesWhatIsAboutNothing
    /// It applies deliveries that belong to a former history.
    case deliversInFormerHistories
    /// It begins no other history when a client proves that data was lost.
    case overlooksLosses
    /// It begins another history, and gives away the positions of what was lost once more.
    case reusesLostPositions
}
