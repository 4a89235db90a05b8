import CausewayHubStorage
import CausewayHubStorageConformance
import Testing

/// The suite proves something only if it detects faults.
struct PlantedHubFaultTests {
    /// Each fault, and a rule that detects it.
    static let expectations: [(FaultyHubStorage.Fault, String)] = [
        (.keepsOldTokens, "a token finds its account until it is replaced or removed"),
        (.reusesNames, "a removed account keeps its name and its number"),
        (.forgetsOnRestart, "every kind of record is loaded as it was stored, also in the next run"),
        (.keepsLists, "a record leaves a list with its entry, and a deleted one all of them"),
        (.repeatsRecords, "a list goes both ways from a position, by a limit, equal keys by id"),
        (.forgetsDeletions, "a record is loaded as it was stored, also deleted, and in the next run"),
        (.losesRecords, "records of a group are stored with its messages, and need no commit of their own"),
        (.losesRights, "rights are loaded for the channel of a stored message"),
        (.inventsUsers, "the accounts among the keys are those that exist"),
        (.reusesCommits, "commits are counted over openings, each of which ends with its last one"),
        (.hidesCommits, "commits are counted over openings, each of which ends with its last one"),
        (.endsOpeningsEarly, "commits are counted over openings, each of which ends with its last one"),
        (.beginsTwice, "another history raises every position, and begins once"),
        (.keepsPositions, "another history raises every position, and begins once"),
        (.loadsTooMuch, "only what the keys name is loaded"),
        (.losesLanes, "the marks of an outbox are those of its lanes"),
        (.losesReactions, "changes of messages and of their reactions"),
        (.keepsEarlyDeletions, "early deletions are taken once, and the oldest are dropped"),
        (.losesKeys, "as many keys as a group can have are loaded together"),
        (.confirmsWithoutStoring, "each decision sees everything that was stored before"),
        (.pageWithDeleted, "pages go both ways from a position, by a limit, without deleted messages"),
        (.pageWithoutEnd, "pages go both ways from a position, by a limit, without deleted messages"),
        (.pageBackwards, "pages go both ways from a position, by a limit, without deleted messages"),
        (.ignoresParents, "pages of the messages that satisfy a filter lead through the channel in bounded steps"),
        (.searchesForEver, "pages of the messages that satisfy a filter lead through the channel in bounded steps"),
        (.endsSearchesEarly, "pages of the messages that satisfy a filter lead through the channel in bounded steps"),
        (.alwaysListsDeleted, "pages go both ways from a position, by a limit, without deleted messages"),
        (.losesDeleted, "pages that include deleted messages list them in their places, without their contents"),
        (.losesDeletedTypes, "pages that include deleted messages list them in their places, without their contents"),
        (.losesTombstones, "the log has the tombstone of a deleted message"),
        (.knowsEveryCursor, "too many changes, or those of another history, are none at all"),
        (.losesChanges, "changes lead from a page to the present"),
        (.losesEditEvents, "every change of a message is logged, in its newest state"),
        (.losesReactionEvents, "every change of a message is logged, in its newest state"),
        (.losesDeletionEvents, "every change of a message is logged, in its newest state"),
        (.losesMemberEvents, "every change of a record is logged in each of its topics, also without a delivery"),
        (.losesOperatorEvents, "every change of a record is logged in each of its topics, also without a delivery"),
        (.knowsEveryHistory, "a cursor of another history, another opening or a later position is reset"),
        (.knowsEveryOpening, "a cursor of another history, another opening or a later position is reset"),
        (.keepsTooLittle, "the retention keeps a number of entries, and drops cursors before them"),
        (.keepsDroppedCursors, "the retention keeps what is not certainly too old"),
        (.repeatsEvents, "a record that changed often is in a page once, at its last change"),
        (.endsEarly, "pages of the log lead to the end, by a limit of records and of bytes"),
        (.leaksAccounts, "only members read the log of a channel, and only the account its own"),
        (.sharesRights, "queries of one call are read as each alone"),
        (.sharesReactions, "queries of one call are read as each alone"),
        (.sharesPositions, "queries of one call are read as each alone"),
        (.sharesTopics, "queries of one call are read as each alone"),
        (.sharesLimits, "queries of one call are read as each alone"),
        (.leaksChannels, "only members read the log of a channel, and only the account its own"),
        (.staysMember, "a removed member reads that it was removed, and nothing more of the channel"),
        (.hidesCrowds, "a topic with too many changes is named and not listed"),
        (.hidesTopics, "the changed topics are known, those that changed first before the others"),
        (
            .forgetsPendingUploads,
            "an upload is stored unless it is refused, and counts until it is complete or removed"
        ),
        (.keepsUploads, "an upload is stored unless it is refused, and counts until it is complete or removed"),
        (.completesUnknownUploads, "a complete upload is a blob that its account has uploaded once"),
        (.countsPendingFilesOnly, "a complete upload is a blob that its account has uploaded once"),
        (.knowsEveryBlob, "a complete upload is a blob that its account has uploaded once"),
        (.repeatsUploads, "uploads are listed from the oldest on, by a limit"),
        (.keepsMissingTypes, "a blob has the type of its last completion"),
        (.listsCompleteUploads, "the pending uploads of an account are listed from the oldest on"),
        (.leaksBlobs, "a blob is read by its uploaders and by the members of the channels of its messages"),
        (.ignoresTheMessage, "a blob is read by its uploaders and by the members of the channels of its messages"),
        (.losesAttachments, "a blob is read by its uploaders and by the members of the channels of its messages"),
        (.loadsEveryBlob, "a delivery loads the sizes of the blobs that its account may read"),
        (.keepsAttachments, "a blob is kept while a message is attached to it, and for a time after the last one"),
        (.hidesUnattachedBlobs, "a blob is kept while a message is attached to it, and for a time after the last one"),
        (.removesBlobsEarly, "a blob is kept while a message is attached to it, and for a time after the last one"),
        (.worksAfterClose, "no deliveries and no pages without an opening, and nothing after the end"),
    ]

    @Test func everyFaultHasARule() {
        #expect(Set(Self.expectations.map(\.0)) == Set(FaultyHubStorage.Fault.allCases))
    }

    @Test(arguments: expectations)
    func isFound(_ fault: FaultyHubStorage.Fault, by name: String) async throws {
        let rule = try #require(HubStorageConformance.rule(name))
        let factory = HubStorageFactory(
            make: {
                FaultyHubStorage(
                    fault,
                    MemoryHubStorage(hub: [UInt8](repeating: 1, count: 16), sealKey: [2], history: [3]))
            },
            reopen: { storage in
                guard let storage = storage as? FaultyHubStorage else {
                    throw HubStorageError.recovering(path: "memory")
                }
                return storage.restarted()
            })
        await #expect(throws: ConformanceFailure.self) { try await rule.run(factory) }
    }
}
