import CausewayHubRules
import CausewayModels
import Testing

@Suite struct FairQueueTests {
    private static func drained(_ queue: FairQueue<Int, String>) -> [String] {
        var queue = queue
        var all: [String] = []
        while let element = queue.popFirst() { all.append(element) }
        return all
    }

    @Test func turnsAreTakenAndOrderWithinAKeyIsKept() {
        var queue = FairQueue<Int, String>()
        for element in ["a1", "a2", "a3", "a4"] { queue.append(element, of: 1) }
        for element in ["b1", "b2"] { queue.append(element, of: 2) }
        queue.append("c1", of: 3)
        #expect(queue.count == 7)
        #expect(queue.count(of: 1) == 4)
        #expect(queue.first == "a1")
        #expect(Self.drained(queue) == ["a1", "b1", "c1", "a2", "b2", "a3", "a4"])
    }

    /// However much other keys queue, an element waits for at most one of each other key per element of its own.
    @Test func oneKeyNeverWaitsForMuchOfAnother() {
        var random = SplitMix64(seed: 3)
        for _ in 0..<200 {
            var queue = FairQueue<Int, String>()
            for number in 0..<Int.random(in: 1..<60, using: &random) {
                queue.append("\(number)", of: Int.random(in: 1...4, using: &random))
                if Int.random(in: 0..<3, using: &random) == 0 { _ = queue.popFirst() }
            }
            let own = queue.count(of: 0)
            queue.append("own", of: 0)
            let order = Self.drained(queue)
            #expect(own == 0)
            #expect((order.firstIndex(of: "own") ?? .max) <= 4)
            #expect(order.count == queue.count)
        }
    }

    @Test func anEmptyQueueHasNothing() {
        var queue = FairQueue<Int, String>()
        #expect(queue.isEmpty)
        #expect(queue.popFirst() == nil)
        #expect(queue.first == nil)
        queue.append("a", of: 1)
        #expect(queue.popFirst() == "a")
        #expect(queue.isEmpty)
        #expect(queue.count(of: 1) == 0)
    }
}
