/// A fault planted in the hub, used to show that a simulator finds it. None of them exists outside tests.
package enum HubPlantedFault: String, CaseIterable, Sendable {
    /// It does not remember the accepted messages.
    case forgetsMessages
    /// Its marks do not survive its restart.
    case forgetsMarks
    /// It responds to a fence, but does not keep the mark that bars late copies.
    case fencesLeaveNoMark
    /// It applies an operation although an earlier one is missing.
    case ignoresGaps
    /// It accepts deliveries of an older epoch.
    case ignoresEpochs
    /// It responds to a deletion, and keeps the message.
    case deletesNothing
    /// It forgets a deletion of a message that has not arrived yet.
    case forgetsEarlyDeletions
    /// It responds before its transaction is on the disk, and a restart loses the last one.
    case answersBeforeCommitting
    /// It applies operations after one that it deferred.
    case goesOnAfterTryLater
    /// It applies operations after a gap.
    case goesOnAfterGap
    /// It stores a late copy of an operation that its lane has passed.
    case takesLateCopies
    /// It responds to a repeat with another position than the first time.
    case answersRepeatsAnew
    /// It accepts repeats of deleted messages without saying that they are deleted.
    case hidesDeletions
    /// It responds to a fence about a stored message as if it did not have it.
    case fencesWhatItHas
    /// It reports a wrong mark for a gap.
    case namesAWrongMark
    /// It reports a passed operation as refused.
    case callsLateRefused
    /// A refusal moves no mark.
    case refusalsLeaveNoMark
    /// An operation on an unknown message moves no mark.
    case unrelatedLeavesNoMark
    /// A deferred operation moves the mark.
    case passesWhatItPutsOff
    /// It keeps one mark for all lanes of an outbox.
    case sharesMarks
    /// It assigns the last position again after its restart.
    case reusesPositions
    /// It deletes messages for accounts that did not write them.
    case deletesForAnybody
    /// It edits messages for accounts that did not write them.
    case editsForAnybody
    /// It accepts operations on messages that it does not have.
    case doesWhatIsAboutNothing
    /// It applies deliveries that belong to a former history.
    case deliversInFormerHistories
    /// It applies deliveries that were sent to it before its last start.
    case deliversAfterItsStart
    /// It begins no other history when a client proves that data was lost.
    case overlooksLosses
    /// It begins another history, and assigns the positions of lost messages again.
    case reusesLostPositions
}
