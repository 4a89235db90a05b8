import CausewaySystem
import Dispatch
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(10))) struct BlockingThreadsTests {
    @Test(arguments: [BlockingThreads.Order.serial, .concurrent])
    func aCallIsPerformedOnTheThreads(order: BlockingThreads.Order) async {
        let threads = BlockingThreads("test", order)
        let (others, own) = (threads.isCurrent, await threads.perform { threads.isCurrent })
        #expect(!others && own)
        let other = BlockingThreads("other", order)
        #expect(await threads.perform { other.isCurrent } == false)
    }

    @Test func aTaskThatPrefersTheThreadsKeepsItsOwn() async {
        let threads = BlockingThreads("test", .serial)
        let order = Numbers()
        await withTaskExecutorPreference(threads) {
            // Runs as soon as the only thread is free, as it is while a call waits for it.
            let other = Task(executorPreference: threads) { order.add(2) }
            await threads.perform { order.add(1) }
            await other.value
        }
        #expect(order.all == [1, 2])
    }

    @Test func aCallReportsItsError() async {
        struct Failure: Error {}
        let threads = BlockingThreads("test", .serial)
        await #expect(throws: Failure.self) {
            try await threads.perform { () throws(Failure) in throw Failure() }
        }
    }

    /// A caller uses the memory of what a call captured again: nothing may hold it when the call returns.
    @Test(arguments: [BlockingThreads.Order.serial, .concurrent])
    func aCallIsReleasedBeforeItReturns(order: BlockingThreads.Order) async throws {
        let threads = BlockingThreads("test", order)
        for _ in 0..<400 {
            weak var captured: Numbers?
            do {
                let numbers = Numbers()
                captured = numbers
                await threads.perform { numbers.add(1) }
            }
            try #require(captured == nil)
        }
    }

    /// The first call ends when the second one has begun.
    @Test func concurrentCallsRunAtTheSameTime() async {
        let threads = BlockingThreads("test", .concurrent)
        let (second, done) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        threads.run {
            second.wait()
            done.signal()
        }
        await threads.perform { _ = second.signal() }
        await threads.perform { done.wait() }
    }

    @Test func serialCallsKeepTheirOrder() async {
        let threads = BlockingThreads("test", .serial)
        let order = Numbers()
        for number in 0..<1_000 { threads.run { order.add(number) } }
        await threads.perform {}
        #expect(order.all == Array(0..<1_000))
    }
}

private final class Numbers: Sendable {
    private let added = Mutex<[Int]>([])

    var all: [Int] { added.withLock { $0 } }

    func add(_ number: Int) { added.withLock { $0.append(number) } }
}
