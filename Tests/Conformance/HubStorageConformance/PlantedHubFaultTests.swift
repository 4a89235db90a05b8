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
        (.knowsEveryCursor, "too many changes, or those of another history, are none at all"),
        (.losesChanges, "changes lead from a page to the present"),
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
