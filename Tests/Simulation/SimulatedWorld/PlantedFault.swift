import CausewaySimulatedHub

/// A planted fault, used to show that the simulator finds it. None of them exists outside the tests.
package enum PlantedFault: String, CaseIterable, Sendable {
    // Faults of `HubPlantedFault`
    case hubForgetsMessages, hubForgetsMarks, fencesLeaveNoMark, hubIgnoresGaps, hubIgnoresEpochs, hubDeletesNothing
    case hubAnswersBeforeCommitting, hubGoesOnAfterTryLater, hubGoesOnAfterGap, hubTakesLateCopies
    case hubAnswersRepeatsAnew, hubFencesWhatItHas, hubNamesAWrongMark, hubCallsLateRefused, hubRefusalsLeaveNoMark
    case hubUnrelatedLeavesNoMark, hubPassesWhatItPutsOff, hubSharesMarks, hubReusesPositions, hubDeletesForAnybody
    case hubForgetsEarlyDeletions, hubEditsForAnybody, hubDoesWhatIsAboutNothing

    // The driver
    /// It takes the response to an older batch for that of the current one.
    case lateAnswersAccepted
    /// It answers fences itself and never asks the hub.
    case fencesSkipped
    /// It commits mutations of one action separately.
    case commitsSplit
    /// It sends first and commits afterwards.
    case sendsBeforeCommit
    /// It reports results before the commit that made them true.
    case completesBeforeCommit
    /// It reports results once more when the batch's response is repeated.
    case completesTwice
    /// It reports an unreachable hub as a failure of the message: offline time exhausts retries.
    case offlineIsCharged
    /// It takes a rate limit for an unreachable hub.
    case rateLimitIgnored
    /// It sets no timer: a pause never ends.
    case timersForgotten
    /// It deletes in the store only.
    case deletesOnlyLocally
    /// It resends a failed message under a new id.
    case resendGetsNewID
    /// It does not pass a user's pause to the machine.
    case pauseIgnored
    /// It lets the machine retry for ever, every 10 ms.
    case neverGivesUp
    /// It lets the machine retry once more than configured.
    case triesOnceMore
    /// It lets the machine retry after half of the pause.
    case pausesHalf
    /// It lets the machine probe the hub every 10 ms.
    case probesInCircles
    /// It takes a temporary failure of the hub for a refusal.
    case failureIsRefusal
    /// It takes a request that may have arrived for one that did not.
    case doubtIsFailure
    /// It sets no timer while an action is required.
    case attentionForgotten
    /// It discards deadlines that were due while its computer was suspended.
    case timersLostAsleep
    /// It keeps the old machine after a logout.
    case logoutForgotten
    /// It does not pass the transport's limits to the machine.
    case limitsIgnored
    /// It continues after a full disk as if the commit had been made.
    case fullDiskIgnored
    /// It does not pass the precedence of lanes to the machine.
    case precedenceForgotten
    /// It does not notify the machine that a message returned to the queue, where it waits for another one.
    case unpausedNotTold
    /// It passes the wall clock to the machine as its time.
    case timeByWallClock
    /// It sends every waiting message, of whichever account.
    case sendsAnybodys
    /// It reports its own cancellation as a failure.
    case renewalIsCharged
    /// It does not refund the attempts that an orderly shutdown cancels.
    case closeIsCharged
    /// It resends a failed operation although a later one has replaced it.
    case resendsWhatIsReplaced
    /// It does not notify the machine of a reset of the feed.
    case resetsIgnored
    /// It does not pass the limit on deliveries in flight over all lanes to the machine.
    case totalIgnored

    // The store
    /// It forgets the predecessor with which a message was transmitted when its attempt ends.
    case requeueForgetsPrevious
    /// It numbers waiting messages by the wall clock when it is opened.
    case ordersByClock
    /// It assigns a number again after the last message was deleted and the store was reopened.
    case sequenceTwice
    /// It does not fail waiting messages when a session ended with the process.
    case sweepSkipped
    /// It fails transmitted messages without leaving a fence.
    case sweepLeavesNoFence
    /// It does not report one commit in ten to its feed.
    case feedLosesCommits
    /// It does not store attempts.
    case attemptsNotCounted
    /// It does not store that a failed message is in doubt.
    case doubtForgotten
    /// It forgets which messages pause which lane.
    case pausesForgotten
    /// It reports operations as messages, whose failures pause their lanes.
    case operationsUnmarked
    /// It opens without a new epoch.
    case epochKept
    /// It lets a page restore messages deleted here.
    case mergeRevives
    /// It assigns no sequence to messages that waited for another one when that is delivered.
    case parkedForgotten
    /// When another account logs in, it forgets the fences and the doubts of the previous one.
    case visitForgetsDoubts
    /// It keeps the records of the previous account.
    case accountsMixed
    /// It keeps no deletion for an account that is logged out.
    case visitForgetsDeletions
    /// It reports a message as durable before it is.
    case enqueueNotDurable

    // Uploads
    /// The hub forgets offsets that it reported, or accepts messages without their files.
    case hubForgetsOffsets, hubTakesMissingFiles
    /// The driver passes no limit on uploads to the machine.
    case uploadLimitIgnored
    /// The driver goes on with uploads that the machine has cancelled.
    case uploadCancelForgotten
    /// The driver does not report that an upload failed.
    case uploadFailureForgotten
    /// The driver reports an unreachable hub as a failure of the upload.
    case uploadOutageIsCharged
    /// The store forgets the sessions of uploads.
    case sessionsForgotten
    /// The store forgets the receipt of a message that fails.
    case receiptsForgotten
    /// The store reports no upload to the machine, which sends messages before their files.
    case uploadsForgotten
    /// The store does not store that a file is uploaded for the second time.
    case repeatsForgotten

    // Losses of the hub's data
    /// The driver takes another history of the hub for the one that it knows: what is lost stays `synced`.
    case lossIgnored
    /// The driver passes the marks of another hub to the store: what is lost counts as kept.
    case lostCountsAsKept
    /// The driver believes responses of a former history.
    case formerAnswersBelieved
    /// The driver does not repeat deletions for a hub that has lost them.
    case deletionsNotRepeated
    /// The store queues lost messages at the tails of their lanes.
    case lostAtTheTail
    /// Faults of the hub
    case hubDeliversInFormerHistories, hubDeliversAfterItsStart, hubOverlooksLosses, hubReusesLostPositions
}

extension PlantedFault {
    /// The corresponding fault of the hub; `nil` when the fault is planted elsewhere.
    var ofHub: HubPlantedFault? {
        if self == .fencesLeaveNoMark { return .fencesLeaveNoMark }
        return HubPlantedFault.allCases.first {
            "hub" + $0.rawValue.prefix(1).uppercased() + $0.rawValue.dropFirst() == rawValue
        }
    }
}

extension PlantedFault {
    /// The number of seeds within which it must be found.
    package var seedsMax: UInt64 {
        switch self {
        case .repeatsForgotten, .deletionsNotRepeated: 3_000
        case .resendsWhatIsReplaced: 30_000
        case .operationsUnmarked: 10_000
        case .hubEditsForAnybody, .attentionForgotten, .sendsAnybodys, .unpausedNotTold: 2_000
        default: 500
        }
    }
}
