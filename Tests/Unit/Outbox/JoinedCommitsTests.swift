import CausewayModels
import CausewayOutbox
import CausewayStorage
import Testing

/// Which commits of one step are joined, and which are not.
@Suite struct JoinedCommitsTests {
    /// A mutation that is told apart by its number.
    private func mutation(_ number: Int64) -> Mutation { .removeMarker(sequence: number) }

    /// Batches of several lanes, as a machine sends them.
    private func batches() -> [Batch] {
        var harness = OutboxHarness()
        for number in 1...3 { harness.create("\(number)", lane: LaneID(rawValue: "text/\(number)")) }
        return harness.batches
    }

    /// A result is stored with the beginning of the next batch.
    @Test func aResultAndTheNextBatchAreOneCommit() throws {
        var harness = OutboxHarness { $0.batchOperationsMax = 1 }
        harness.create("a", "b")
        harness.answer(1, accepted())
        guard case .commit(let result)? = harness.actions.first,
            case .transmit(let batch, let beginning)? = harness.actions.last
        else {
            Issue.record("the step is \(harness.actions)")
            return
        }
        #expect(!beginning.isEmpty)
        var joined = harness.actions
        joined[0] = .commit(result + beginning)
        joined[joined.count - 1] = .transmit(batch, [])
        #expect(harness.actions.joiningCommits() == joined)
    }

    @Test func batchesOfSeveralLanesBeginWithOneCommit() {
        let batches = batches()
        let actions = zip(batches, 1...).map { OutboxAction.transmit($0, [mutation($1)]) }
        #expect(
            actions.joiningCommits() == [
                .transmit(batches[0], [mutation(1), mutation(2), mutation(3)]), .transmit(batches[1], []),
                .transmit(batches[2], []),
            ])
    }

    /// The mutations of a later commit may be decided anew, after the store was read.
    @Test func commitsAreNotJoinedWithEachOther() {
        let batches = batches()
        let actions: [OutboxAction] = [
            .transmit(batches[0], [mutation(1)]), .commit([mutation(2)]), .transmit(batches[1], [mutation(3)]),
        ]
        #expect(
            actions.joiningCommits() == [
                .transmit(batches[0], [mutation(1)]), .commit([mutation(2), mutation(3)]), .transmit(batches[1], []),
            ])
    }

    @Test(arguments: [OutboxAction.fork, .reload])
    func nothingIsCommittedBeforeTheOutboxIsReplaced(_ replacement: OutboxAction) {
        let batches = batches()
        let actions: [OutboxAction] = [
            .commit([mutation(1)]), replacement, .transmit(batches[0], [mutation(2)]),
            .transmit(batches[1], [mutation(3)]),
        ]
        #expect(
            actions.joiningCommits() == [
                .commit([mutation(1)]), replacement, .transmit(batches[0], [mutation(2), mutation(3)]),
                .transmit(batches[1], []),
            ])
    }

    /// A repeated batch of fences commits nothing.
    @Test func actionsWithoutMutationsStayAsTheyAre() {
        let batches = batches()
        let actions: [OutboxAction] = [
            .transmit(batches[0], []), .probe, .transmit(batches[1], [mutation(1)]),
        ]
        #expect(actions.joiningCommits() == actions)
    }
}
