import CausewayStorage
import Synchronization
import Testing

struct CommitFeedTests {
    /// A closure that is wrapped anew with each call takes the stack with it when it is released.
    @Test func manyCallsLeaveNothingBehind() {
        let feed = CommitFeed()
        let calls = Calls()
        let subscription = feed.subscribe { _ in calls.count.add(1, ordering: .relaxed) }
        for version in 1...200_000 { feed.publish(StoreCommit(version: Int64(version), changes: [])) }
        subscription.cancel()
        feed.publish(StoreCommit(version: 200_001, changes: []))
        #expect(calls.count.load(ordering: .relaxed) == 200_000)
        #expect(!feed.hasSubscribers)
    }

    /// Cancelling waits for the call that is under way on another thread.
    @Test func cancelWaitsForTheCall() async {
        for _ in 0..<50 {
            let feed = CommitFeed()
            let calls = Calls()
            let subscription = feed.subscribe { _ in calls.count.add(1, ordering: .sequentiallyConsistent) }
            await withTaskGroup(of: Void.self) { group in
                group.addTask {
                    for version in 1...500 { feed.publish(StoreCommit(version: Int64(version), changes: [])) }
                }
                group.addTask {
                    subscription.cancel()
                    let seen = calls.count.load(ordering: .sequentiallyConsistent)
                    feed.publish(StoreCommit(version: 0, changes: []))
                    #expect(calls.count.load(ordering: .sequentiallyConsistent) == seen)
                }
            }
        }
    }

    private final class Calls: Sendable {
        let count = Atomic<Int>(0)
    }
}
