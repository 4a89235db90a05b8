import CausewayStorage
import CausewayStorageConformance
import Testing

/// The suite proves something only if it detects faults.
struct PlantedFaultTests {
    /// Each fault, and the rule that detects it.
    static let expectations: [(FaultyStore.Fault, String)] = [
        (.dropsFeedEvent, "drawn histories: the store, its feed and the model agree"),
        (.tellsTooLate, "every subscriber sees every commit before the call returns"),
        (.wrongBefore, "several mutations of one message in one commit apply in order"),
        (.callsAfterCancel, "no call begins after cancel, and none after release"),
        (.skipsVersion, "every subscriber sees every commit before the call returns"),
        (.hidesReset, "what concerns the whole outbox is told as a reset"),
        (.losesCommit, "drawn histories: the store, its feed and the model agree"),
        (.halfCommit, "a call that fails changes nothing"),
        (.losesOnRestart, "what was committed is there in the next run"),
        (.reusesNumbers, "a number is never handed out twice"),
        (.takesDuplicates, "a second message with the same id is refused"),
        (.ignoresBounds, "a full outbox refuses, drops nothing, and takes in again when there is room"),
        (.wrongCounts, "drawn histories: the store, its feed and the model agree"),
        (.pageWithoutEnd, "the outbox's pages: in the order of creation, in both directions"),
        (.pageWithoutTies, "a channel's pages: by position, then what is undelivered, in both directions"),
        (.pageUnordered, "a channel's pages: by position, then what is undelivered, in both directions"),
        (.messagesUnordered, "messages by id come in the order asked for, without those that are not there"),
        (.keepsEpoch, "the outbox keeps its id, and each run has a new epoch"),
        (.newOutboxID, "the outbox keeps its id, and each run has a new epoch"),
        (.forgetsFences, "begin with fail gives up what was left, and asks about what had been transmitted"),
        (.forgetsPauses, "what pauses a lane is told until it is resent, delivered or deleted, or the session ends"),
        (.worksAfterClose, "after close everything says so"),
        (.worksBeforeStart, "nothing works before begin"),
        (.returnsTheDraft, "what is returned is what is stored"),
        (.mixesAccounts, "one account sees, counts and changes nothing of another"),
        (.forgetsAccounts, "an account finds everything as it left it, over visits and restarts"),
        (.mixesOpenings, "an account's openings are those in which it was current"),
        (.comparesAddresses, "an address in another spelling is no other account"),
        (.keepsErased, "an erased account is empty, after a restart as well; another account is unchanged"),
        (.takesForeignDrafts, "a draft of another account is refused"),
        (.writesWhatIsUnchanged, "what was merely read again is no change"),
        (.hidesReleases, "the feed names every link that a commit leaves at the tail of a lane, and no other"),
        (.hidesReleases, "drawn histories: the store, its feed and the model agree"),
        (.listsRemoved, "the feed names every link that a commit leaves at the tail of a lane, and no other"),
        (.listsAttempts, "the feed names every link that a commit leaves at the tail of a lane, and no other"),
        (.listsAttempts, "every mutation does to every state what the port says"),
        (.takesOlderRecords, "a record that is not newer changes nothing"),
        (.takesOlderRecords, "drawn histories of records: the store, its feed and the model agree"),
        (.keepsUnlistedRecords, "a page removes the records in its range that it does not list"),
        (.keepsUnlistedRecords, "drawn histories of records: the store, its feed and the model agree"),
        (.removesRetainedRecords, "a page removes the records in its range that it does not list"),
        (.ordersRecordsByID, "a list's pages: by key, then by id, in both directions"),
        (.mixesRecordLists, "a list's pages: by key, then by id, in both directions"),
        (.hidesRecordChanges, "drawn histories of records: the store, its feed and the model agree"),
        (.mixesAccounts, "the records of one account are not those of another"),
        (.losesOnRestart, "the records of one account are not those of another"),
        (.commitsCursorFirst, "a commit that fails leaves the event cursor"),
        (.keepsFormerCursor, "each account has its event cursor, and another history of the server has none"),
        (.forgetsReceipts, "a failed message keeps its receipt, and a resent one has it"),
        (.forgetsSessions, "an upload continues in the next run where it was, and its receipt is kept"),
        (
            .keepsReceiptsInOtherHistories,
            "in another history, and in another outbox, every attachment is uploaded again"
        ),
        (.repeatsWithoutMark, "every step of an upload does to every state what the port says"),
        (.deletesInsteadOfPruning, "pruning drops delivered messages, and nothing that the outbox needs"),
        (.deletesInsteadOfPruning, "drawn histories: the store, its feed and the model agree"),
        (.hidesPruning, "the feed reports pruned messages as removals, and the extent of what is gone"),
        (.losesTombstones, "the commit that deletes a message leaves its tombstone, also for the next process"),
        (.losesTombstones, "drawn histories: the store, its feed and the model agree"),
        (.skipsChannels, "the channels are listed once each, with the part that a number of messages keeps"),
        (.mixesDeletions, "past deletions tell messages, edits and reactions apart, also in the next run"),
        (.mixesDeletions, "drawn histories: the store, its feed and the model agree"),
        (.wrongSequenceOrder, "every mutation does to every state what the port says"),
    ]

    @Test func everyFaultHasARule() {
        #expect(Set(Self.expectations.map(\.0)) == Set(FaultyStore.Fault.allCases))
    }

    @Test(arguments: expectations)
    func isFound(_ fault: FaultyStore.Fault, by name: String) async throws {
        let rule = try #require(StoreConformance.rule(name))
        let factory = StoreFactory(
            make: { FaultyStore(fault, MemoryStore(bounds: $0)) },
            reopen: { store in
                guard let store = store as? FaultyStore else { throw StoreError.closed }
                return await store.reopened()
            })
        await #expect(throws: ConformanceFailure.self) { try await rule.run(factory) }
    }
}
