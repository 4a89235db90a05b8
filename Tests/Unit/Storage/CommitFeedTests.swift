import CausewayModels
import CausewayStorage
import Synchronization
import Testing

@Suite struct CommitFeedTests {
    /// Every change of a message is copied on its way to the subscribers.
    @Test func aChangeIsNoLargerThanItsMessages() {
        #expect(MemoryLayout<StoredItem>.size <= MemoryLayout<Message>.stride + 8)
        #expect(MemoryLayout<RecordChange>.size <= 2 * MemoryLayout<Message>.stride + 16)
    }

    /// A subscriber that is called from ever deeper in the stack costs more with every commit, and finally crashes.
    @Test func theThousandthCallIsAsCheapAsTheFirst() {
        let depths = Mutex<[Int]>([])
        let feed = CommitFeed()
        let subscription = feed.subscribe { commit in
            var here = commit.version
            let address = unsafe withUnsafeMutablePointer(to: &here) { Int(bitPattern: $0) }
            depths.withLock { $0.append(address) }
        }
        for version in 1...1000 { feed.publish(StoreCommit(version: Int64(version), changes: [])) }
        subscription.cancel()
        feed.publish(StoreCommit(version: 1001, changes: []))
        let found = depths.withLock { $0 }
        #expect(found.count == 1000)
        #expect(found.allSatisfy { abs($0 - found[0]) < 256 })
    }

    /// Cancelling waits for the call that is under way on another thread.
    @Test func noCallBeginsAfterCancel() async {
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

    /// A subscriber that another one cancels during a commit is not told about it any more.
    @Test func whatIsCancelledDuringACommitIsNotCalled() {
        let feed = CommitFeed()
        let calls = Calls()
        let other = Mutex<StoreSubscription?>(nil)
        let first = feed.subscribe { _ in other.withLock { $0 }?.cancel() }
        let second = feed.subscribe { _ in calls.count.add(1, ordering: .sequentiallyConsistent) }
        other.withLock { $0 = second }
        feed.publish(StoreCommit(version: 1, changes: []))
        #expect(calls.count.load(ordering: .sequentiallyConsistent) == 0)
        first.cancel()
    }

    private final class Calls: Sendable {
        let count = Atomic<Int>(0)
    }
}
