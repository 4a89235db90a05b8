import CausewaySimulatedHub

/// A fault planted on purpose, to show that the simulator would find it. None of them exists outside the tests.
package enum Sabotage: String, CaseIterable, Sendable {
    // What `HubSabotage` names.
    case hubForgetsMessages, hubForgetsMarks, fencesLeaveNoMark, hubIgnoresGaps, hubIgnoresEpochs, hubDeletesNothing
    case hubAnswersBeforeCommitting, hubGoesOnAfterTryLater, hubGoesOnAfterGap, hubTakesLateCopies
    case hubAnswersRepeatsAnew, hubFencesWhatItHas, hubNamesAWrongMark, hubCallsLateRefused, hubRefusalsLeaveNoMark
    case hubUnrelatedLeavesNoMark, hubPassesWhatItPutsOff, hubSharesMarks, hubReusesPositions, hubDeletesForAnybody
    case hubForgetsEarlyDeletions, hubEditsForAnybody, hubDoesWhatIsAboutNothing

    // The driver
    /// It takes the answer of an older round for the answer of the one under way.
    case lateAnswersAccepted
    /// It answers fences itself and never asks the hub.
    case fencesSkipped
    /// It commits mutations that belong together one by one.
    case commitsSplit
    /// It sends first and commits afterwards.
    case sendsBeforeCommit
    /// It tells who waits before the commit that made it true.
    case completesBeforeCommit
    /// It tells who waits once more when the round's answer comes again.
    case completesTwice
    /// It calls an unreachable hub a failure of the message: offline time uses up retries.
    case offlineIsCharged
    /// It takes a hub that asks to wait for one that is away.
    case rateLimitIgnored
    /// It sets no timer: a pause never ends.
    case timersForgotten
    /// It deletes in the store alone.
    case deletesOnlyLocally
    /// It sends a failed message again as a new one.
    case resendGetsNewID
    /// It does not tell the machine that a person paused it.
    case pauseIgnored
    /// It lets the machine try for ever, every 10 ms.
    case neverGivesUp
    /// It lets the machine try once more than people want.
    case triesOnceMore
    /// It lets the machine try again after half of the pause.
    case pausesHalf
    /// It lets the machine look for the hub every 10 ms.
    case probesInCircles
    /// It takes a hub that could not do something for one that refuses it.
    case failureIsRefusal
    /// It takes a request that may have arrived for one that did not.
    case doubtIsFailure
    /// It sets no timer while something needs attention.
    case attentionForgotten
    /// It forgets what was due while its machine slept.
    case timersLostAsleep
    /// It goes on with the old machine after a logout.
    case logoutForgotten
    /// It does not tell the machine what the transport allows.
    case limitsIgnored
    /// It goes on when the disk was full, as if the commit had been made.
    case fullDiskIgnored
    /// It does not tell the machine which lanes wait for which.
    case precedenceForgotten
    /// It does not tell the machine that what failed pauses no lane, being an operation.
    case unpausedNotTold
    /// It tells the machine the time by the wall clock.
    case timeByWallClock
    /// It sends whatever waits, whoever created it.
    case sendsAnybodys
    /// It calls what it breaks off itself a failure.
    case renewalIsCharged
    /// It does not give the attempts back that an orderly end breaks off.
    case closeIsCharged
    /// It sends a failed operation again although a later one has replaced it.
    case resendsWhatIsReplaced
    /// It does not tell the machine how many deliveries may be under way in all lanes.
    case totalIgnored

    // The store
    /// It forgets after what a message was transmitted when its attempt ends.
    case requeueForgetsPrevious
    /// It numbers what waits by the wall clock when it is opened.
    case ordersByClock
    /// It hands out a number again after the last message was deleted and it was opened anew.
    case sequenceTwice
    /// It does not give up what waits when a session ended with the process.
    case sweepSkipped
    /// It gives up what was transmitted without leaving a question.
    case sweepLeavesNoFence
    /// It does not tell its feed of one commit in ten.
    case feedLosesCommits
    /// It does not write attempts down.
    case attemptsNotCounted
    /// It does not write down that a failed message is in doubt.
    case doubtForgotten
    /// It forgets what pauses which lane.
    case pausesForgotten
    /// It opens without a new epoch.
    case epochKept
    /// It lets a page bring back what was deleted here.
    case mergeRevives
    /// It gives what waits for a message no place when that one is delivered.
    case parkedForgotten
    /// When another account logs in, it forgets the questions and the doubts of the one before.
    case visitForgetsDoubts
    /// It goes on with the records of the account before.
    case accountsMixed
    /// It keeps no deletion for an account that is away.
    case visitForgetsDeletions
    /// It says that a message is on the disk before it is.
    case enqueueNotDurable
}

extension Sabotage {
    /// The hub's part; `nil` when the fault is planted elsewhere.
    var ofHub: HubSabotage? {
        if self == .fencesLeaveNoMark { return .fencesLeaveNoMark }
        return HubSabotage.allCases.first {
            "hub" + $0.rawValue.prefix(1).uppercased() + $0.rawValue.dropFirst() == rawValue
        }
    }
}
