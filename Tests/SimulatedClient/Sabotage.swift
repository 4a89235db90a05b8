package import CausewaySimulatedHub

/// A mistake planted on purpose, to show that the simulator would find it. None of them exists outside the tests: each
/// is a lie of the store, the transport, the runtime or the hub that the real client is given.
package enum Sabotage: Hashable, Sendable, CaseIterable {
    // The store
    /// A commit is acknowledged, and made a moment later.
    case acknowledgesBeforeCommit
    /// What was acknowledged last is gone after a crash.
    case losesAcknowledgedCommits
    /// Half of a commit, a crash, and the other half never.
    case commitsByHalves
    /// Now and then subscribers miss a commit.
    case losesFeedCommits
    /// Now and then the engine alone misses a commit.
    case engineMissesCommits
    /// Now and then subscribers are told of a commit twice.
    case repeatsFeedCommits
    /// What the previous run left `syncing` stays so.
    case skipsSweep
    /// An opening does not begin a new epoch.
    case keepsEpoch
    /// Deletions are not remembered: a page from the server brings back what was deleted.
    case forgetsDeletions
    /// The questions in the place of what was given up or deleted are not kept.
    case losesFences
    /// A control entry that was dealt with comes back.
    case keepsAnsweredFences
    /// Attempts are not written down before a request leaves.
    case losesAttempts
    /// When another account logs in, the questions and the doubts of the one before are forgotten.
    case visitForgetsDoubts
    /// Lists show what another account has created.
    case showsAnothers
    /// Questions and deletions are not among what is to be sent.
    case hidesQuestions
    /// What the hub lost is queued in another order than it was created in.
    case redeliversInDisorder
    /// What was deleted is not deleted again on a hub that went back.
    case forgetsRepeatedDeletions
    /// The history that the hub named is not kept.
    case forgetsHistory
    /// What the hub lost stays `synced`.
    case keepsWhatIsLost
    /// The feed tells of a reset as of a commit that changed nothing.
    case hidesFeedResets

    // What the client is told that people want
    /// It tries for ever, every 10 ms.
    case neverGivesUp
    /// It looks for the hub every 10 ms.
    case probesInCircles

    // The transport
    /// It hands in the answer to the request before.
    case answersForAnotherRound
    /// It repeats a request by itself, after its session, too.
    case repeatsAfterItsEnd
    /// It calls a request that may have arrived one that did not.
    case takesDoubtForFailure
    /// It shows a user the messages of somebody else's lane: requests of one account go out under another one.
    case mixesAccounts
    /// A page from the server is merged with other contents.
    case bringsOldContents
    /// It hands in answers of a former history as if they were of the present one.
    case believesFormerAnswers
    /// The same with pages.
    case believesFormerPages
    /// It does not ask where the lanes stand after the hub went back, and says that all is there.
    case inventsMarks

    // The runtime
    /// Now and then a task runs twice.
    case startsTasksTwice
    /// Now and then somebody who sleeps is not woken.
    case losesTimers

    // The hub
    case hub(HubSabotage)

    /// All that a client can meet: its face asks no hub to edit or delete what somebody else wrote.
    package static var allCases: [Sabotage] {
        [
            .acknowledgesBeforeCommit, .losesAcknowledgedCommits, .commitsByHalves, .losesFeedCommits,
            .engineMissesCommits, .repeatsFeedCommits, .skipsSweep, .keepsEpoch, .forgetsDeletions, .losesFences,
            .keepsAnsweredFences, .losesAttempts, .visitForgetsDoubts, .showsAnothers, .hidesQuestions,
            .answersForAnotherRound, .repeatsAfterItsEnd, .takesDoubtForFailure,
            .mixesAccounts, .bringsOldContents, .startsTasksTwice, .losesTimers, .neverGivesUp, .probesInCircles,
            .redeliversInDisorder, .forgetsRepeatedDeletions, .forgetsHistory, .keepsWhatIsLost, .hidesFeedResets,
            .believesFormerAnswers, .believesFormerPages, .inventsMarks,
        ] + HubSabotage.allCases.filter { ![.editsForAnybody, .deletesForAnybody].contains($0) }.map(Sabotage.hub)
    }

    /// What it is called on a command line.
    package var name: String {
        if case .hub(let sabotage) = self { "hub.\(sabotage.rawValue)" } else { "\(self)" }
    }

    var ofHub: HubSabotage? {
        if case .hub(let sabotage) = self { sabotage } else { nil }
    }
}
