import CausewayHub
import CausewayHubStorage
import CausewayModels
import CausewayTestSupport
import Synchronization
import Testing

/// Turns between accounts.
@Suite struct FairGateTests {
    private static func account(_ number: Int64) throws -> HubAccount {
        HubAccount(
            number: number, user: try #require(UserID("user-\(number)")), createdAt: Timestamp(milliseconds: 0),
            removedAt: nil)
    }

    @Test func accountsTakeTurns() async throws {
        let gate = FairGate(slots: 1)
        let (one, two) = (try Self.account(1), try Self.account(2))
        let order = Order()
        let (held, release) = AsyncStream.makeStream(of: Void.self)
        var callers = [Task { try await gate.run(for: one) { await order.add(0, until: held) } }]
        await until { order.numbers == [0] }
        for number in 1...3 {
            callers.append(Task { try await gate.run(for: one) { order.add(number) } })
            await until { gate.waitingCount == number }
        }
        callers.append(Task { try await gate.run(for: two) { order.add(10) } })
        await until { gate.waitingCount == 4 }
        release.finish()
        for caller in callers { try await caller.value }
        #expect(order.numbers.filter { $0 < 10 } == [0, 1, 2, 3])
        let place = try #require(order.numbers.firstIndex(of: 10))
        #expect(place <= 2, "before those of the other account that came first")
    }

    @Test func aFewPassAtATime() async throws {
        let gate = FairGate(slots: 2)
        let order = Order()
        let (held, release) = AsyncStream.makeStream(of: Void.self)
        let (also, releaseAlso) = AsyncStream.makeStream(of: Void.self)
        let account = try Self.account(1)
        let first = Task { try await gate.run(for: account) { await order.add(1, until: held) } }
        let second = Task { try await gate.run(for: account) { await order.add(2, until: also) } }
        await until { order.numbers.count == 2 }
        let third = Task { try await gate.run(for: account) { order.add(3) } }
        await until { gate.waitingCount == 1 }
        #expect(Set(order.numbers) == [1, 2])
        release.finish()
        try await first.value
        try await third.value
        releaseAlso.finish()
        try await second.value
        #expect(order.numbers.last == 3 && gate.waitingCount == 0)
    }

    @Test func anAccountHasItsShareOfTheWaiting() async throws {
        let gate = FairGate(slots: 1, waitingPerAccountMax: 2)
        let (one, two) = (try Self.account(1), try Self.account(2))
        let order = Order()
        let (held, release) = AsyncStream.makeStream(of: Void.self)
        var callers = [Task { try await gate.run(for: one) { await order.add(0, until: held) } }]
        await until { order.numbers == [0] }
        for number in 1...2 {
            callers.append(Task { try await gate.run(for: one) { order.add(number) } })
            await until { gate.waitingCount == number }
        }
        await #expect(throws: (any Error).self) { try await gate.run(for: one) { order.add(9) } }
        callers.append(Task { try await gate.run(for: two) { order.add(3) } })
        await until { gate.waitingCount == 3 }
        release.finish()
        for caller in callers { try await caller.value }
        #expect(Set(order.numbers) == [0, 1, 2, 3], "one too many did not run")
    }

    @Test func aCallerThatFailsMakesRoom() async throws {
        struct Failed: Error {}
        let gate = FairGate(slots: 1)
        let account = try Self.account(1)
        let fails: @Sendable () async throws -> Void = { throw Failed() }
        await #expect(throws: Failed.self) { try await gate.run(for: account, fails) }
        let value = try await gate.run(for: account) { 7 }
        #expect(value == 7)
    }
}

/// The callers that have had their turn.
private final class Order: Sendable {
    private let added = Mutex<[Int]>([])

    var numbers: [Int] { added.withLock { $0 } }

    func add(_ number: Int) { added.withLock { $0.append(number) } }

    /// Keeps the turn until the stream ends.
    func add(_ number: Int, until end: AsyncStream<Void>) async {
        add(number)
        for await _ in end {}
    }
}
