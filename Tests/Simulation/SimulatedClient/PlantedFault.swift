package import CausewaySimulatedHub
import CausewaySimulationKernel

/// A planted fault, used to show that the simulator finds it. None of them exists outside the tests: each is a wrong
/// behaviour of the store, the transport, the runtime or the hub that the real client is given.
package enum PlantedFault: Hashable, Sendable, CaseIterable {
    // The store
    /// A commit is acknowledged before it is made.
    case acknowledgesBeforeCommit
    /// The last acknowledged commit is gone after a crash.
    case losesAcknowledgedCommits
    /// Only half of a commit is made before a crash, and the rest never.
    case commitsByHalves
    /// Now and then subscribers miss a commit.
    case losesFeedCommits
    /// Now and then the engine alone misses a commit.
    case engineMissesCommits
    /// Now and then subscribers are notified of a commit twice.
    case repeatsFeedCommits
    /// Messages that the previous run left `syncing` stay so.
    case skipsSweep
    /// An opening does not start a new epoch.
    case keepsEpoch
    /// Deletions are not remembered: a page from the server restores deleted messages.
    case forgetsDeletions
    /// The fences in place of failed or deleted messages are not stored.
    case losesFences
    /// A completed control entry comes back.
    case keepsAnsweredFences
    /// Attempts are not stored before a request is sent.
    case losesAttempts
    /// When another account logs in, the fences and the doubts of the previous one are forgotten.
    case visitForgetsDoubts
    /// Lists show messages that another account has created.
    case showsAnothers
    /// Fences and deletions are missing from the entries to send.
    case hidesQuestions
    /// Messages that the hub lost are requeued out of their creation order.
    case redeliversInDisorder
    /// Deletions are not repeated on a hub whose data were rolled back.
    case forgetsRepeatedDeletions
    /// The history that the hub named is not stored.
    case forgetsHistory
    /// Messages that the hub lost stay `synced`.
    case keepsWhatIsLost
    /// The feed reports a reset as a commit without changes.
    case hidesFeedResets
    /// Opening the store resets the attempts of queued messages.
    case forgetsAttemptsAtStart
    /// Lethal messages do not use up attempts.
    case killersGoFree

    /// The cursor of events is stored before what they brought.
    case storesCursorFirst

    // The file store
    /// A commit is acknowledged before the disk has it.
    case acknowledgesBeforeSync
    /// The names of new files are not synced.
    case syncsNoNames
    /// Recovery cuts the last complete transaction together with a torn tail.
    case cutsTailsPredecessor

    // The client's configuration
    /// Retries never end, every 10 ms.
    case neverGivesUp
    /// The hub is probed every 10 ms.
    case probesInCircles
    /// The number of deliveries under way over all lanes has no limit.
    case totalIgnored

    // The transport
    /// It returns the response to the previous request.
    case answersForAnotherRound
    /// It repeats a request by itself, even after its session has ended.
    case repeatsAfterItsEnd
    /// It reports a request that may have arrived as one that did not.
    case takesDoubtForFailure
    /// It sends requests of one account under another, and shows a user the messages of another user's lane.
    case mixesAccounts
    /// It requests each page many times.
    case repeatsPageRequests
    /// The changes since a page was read are left out.
    case dropsChanges
    /// A page from the server is merged with old contents.
    case bringsOldContents
    /// It completes a report that is too short with refusals.
    case completesShortReports
    /// It returns responses of a former history as if they were of the present one.
    case believesFormerAnswers
    /// It returns pages of a former history as if they were of the present one.
    case believesFormerPages
    /// It does not fetch the lanes' marks after the hub's data were rolled back, and reports that nothing is missing.
    case inventsMarks

    // The events
    /// The cursor is taken after the state was read.
    case readsThenRegisters
    /// Deletions are left out.
    case dropsDeletionEvents
    /// A channel that changed too much to be listed is not named.
    case ignoresLimited
    /// A cursor that is too old, or of another history, is continued from the end of the log.
    case ignoresReset
    /// Now and then the events of a part are missing.
    case losesEventParts

    // The runtime
    /// Now and then a task runs twice.
    case startsTasksTwice
    /// Now and then a sleeping task is not woken.
    case losesTimers

    // Files
    /// The store forgets the server's names of uploads.
    case forgetsUploads
    /// The store forgets that the server has a file.
    case forgetsReceipts
    /// Files are kept when their messages are gone.
    case keepsFiles
    /// Now and then a file goes with that of another message.
    case losesFiles
    /// Now and then a file is read one byte too early.
    case readsOtherBytes
    /// Requests of an upload are sent after the end of its session.
    case uploadsGoOn
    /// Uploads of deleted messages are not cancelled on the server.
    case uploadsAreNotCancelled
    /// The client's lanes are those of another policy: text waits for media.
    case textWaitsForMedia
    /// The client's lanes are those of another policy: media overtakes text.
    case mediaOvertakesText
    /// The hub reports offsets that are not durable.
    case hubUndercutsOffsets
    /// The hub accepts messages without their files.
    case hubTakesMissingFiles
    /// The hub removes files that messages have.
    case hubExpiresNeededFiles

    // The hub
    case hub(HubPlantedFault)

    /// The faults that a client can encounter: its API never asks a hub to edit or delete messages of other users.
    package static var allCases: [PlantedFault] {
        [
            .acknowledgesBeforeCommit, .losesAcknowledgedCommits, .commitsByHalves, .losesFeedCommits,
            .engineMissesCommits, .repeatsFeedCommits, .skipsSweep, .keepsEpoch, .forgetsDeletions, .losesFences,
            .keepsAnsweredFences, .losesAttempts, .visitForgetsDoubts, .showsAnothers, .hidesQuestions,
            .answersForAnotherRound, .repeatsAfterItsEnd, .takesDoubtForFailure,
            .mixesAccounts, .repeatsPageRequests, .dropsChanges, .bringsOldContents,
            .startsTasksTwice, .losesTimers, .neverGivesUp, .probesInCircles,
            .redeliversInDisorder, .forgetsRepeatedDeletions, .forgetsHistory, .keepsWhatIsLost, .hidesFeedResets,
            .forgetsAttemptsAtStart, .killersGoFree,
            .believesFormerAnswers, .believesFormerPages, .inventsMarks,
            .storesCursorFirst, .readsThenRegisters, .dropsDeletionEvents, .ignoresLimited, .ignoresReset,
            .losesEventParts,
            .totalIgnored, .completesShortReports,
        ]
            + HubPlantedFault.allCases.filter { ![.editsForAnybody, .deletesForAnybody].contains($0) }.map(
                PlantedFault.hub)
            + ofFiles + ofDisk
    }

    private static let ofDisk: [PlantedFault] = [.acknowledgesBeforeSync, .syncsNoNames, .cutsTailsPredecessor]

    /// True for a fault of the file store, which only runs with one can reveal.
    package var isOfDisk: Bool { Self.ofDisk.contains(self) }

    private static let ofFiles: [PlantedFault] = [
        .forgetsUploads, .forgetsReceipts, .keepsFiles, .losesFiles, .readsOtherBytes, .uploadsGoOn,
        .uploadsAreNotCancelled, .textWaitsForMedia, .mediaOvertakesText, .hubUndercutsOffsets, .hubTakesMissingFiles,
        .hubExpiresNeededFiles,
    ]

    /// The name on a command line.
    package var name: String {
        if case .hub(let plantedFault) = self { "hub.\(plantedFault.rawValue)" } else { "\(self)" }
    }

    var ofHub: HubPlantedFault? {
        if case .hub(let plantedFault) = self { plantedFault } else { nil }
    }
}
