import CausewayHTTP
import NIOCore
import Testing

/// The pool's decisions without a socket: scripts for each rule, then random walks that check all of them.
@Suite struct ConnectionPoolStateTests {
    typealias State = ConnectionPoolState

    private func pool(connections: Int = 2, requests: Int = 3, idle: TimeAmount = .seconds(10)) -> State {
        State(connectionsMax: connections, requestsMax: requests, idleTime: idle)
    }

    private func request(_ number: Int) -> State.RequestID { State.RequestID(number: number) }
    private func connection(_ number: Int) -> State.ConnectionID { State.ConnectionID(number: number) }
    private func time(_ seconds: Int64) -> NIODeadline { .uptimeNanoseconds(0) + .seconds(seconds) }

    @Test func firstRequestOpensAConnectionAndTakesIt() {
        var pool = pool()
        #expect(pool.submit(request(1)) == [.connect(connection(1))])
        #expect(pool.connected(connection(1), now: time(0)) == [.lease(connection(1), request(1))])
        #expect(pool.released(connection(1), now: time(1)) == [.sweep(at: time(11))])
        #expect(pool.submit(request(2)) == [.lease(connection(1), request(2))])
    }

    @Test func requestsBeyondTheConnectionsWaitInOrder() {
        var pool = pool()
        _ = pool.submit(request(1))
        #expect(pool.submit(request(2)) == [.connect(connection(2))])
        #expect(pool.submit(request(3)) == [])
        #expect(pool.submit(request(4)) == [.refuse(request(4), .tooManyWaiting)])
        #expect(pool.connected(connection(2), now: time(0)) == [.lease(connection(2), request(1))])
        #expect(pool.connected(connection(1), now: time(0)) == [.lease(connection(1), request(2))])
        #expect(pool.released(connection(1), now: time(0)) == [.lease(connection(1), request(3))])
    }

    @Test func theConnectionUsedLastIsUsedFirstAndTheOtherGrowsOld() {
        var pool = pool()
        _ = pool.submit(request(1))
        _ = pool.submit(request(2))
        _ = pool.connected(connection(1), now: time(0))
        _ = pool.connected(connection(2), now: time(0))
        #expect(pool.released(connection(1), now: time(0)) == [.sweep(at: time(10))])
        #expect(pool.released(connection(2), now: time(5)) == [])
        #expect(pool.submit(request(3)) == [.lease(connection(2), request(3))])
        #expect(pool.released(connection(2), now: time(8)) == [])
        #expect(pool.sweep(now: time(10)) == [.close(connection(1)), .sweep(at: time(18))])
        #expect(pool.sweep(now: time(18)) == [.close(connection(2))])
        #expect(pool.connectionCount == 0)
    }

    @Test func aFailedAttemptFailsThoseThatWaitedForIt() {
        var pool = pool(connections: 1, requests: 5)
        _ = pool.submit(request(1))
        _ = pool.submit(request(2))
        _ = pool.submit(request(3))
        // 2 and 3 arrived after the attempt began, so they get an attempt of their own, together.
        #expect(pool.connectFailed(connection(1)) == [.refuse(request(1), .connectFailed), .connect(connection(2))])
        #expect(
            pool.connectFailed(connection(2)) == [
                .refuse(request(2), .connectFailed), .refuse(request(3), .connectFailed),
            ])
        #expect(pool.waitingCount == 0)
    }

    @Test func aFailedAttemptFailsNobodyWhileAnotherConnectionWorks() {
        var pool = pool()
        _ = pool.submit(request(1))
        _ = pool.connected(connection(1), now: time(0))
        _ = pool.submit(request(2))
        #expect(pool.connectFailed(connection(2)) == [])
        #expect(pool.waitingCount == 1)
        // When that one is closed too, it gets a new attempt.
        #expect(pool.closed(connection(1)) == [.connect(connection(3))])
    }

    @Test func aClosedIdleConnectionIsForgotten() {
        var pool = pool()
        _ = pool.submit(request(1))
        _ = pool.connected(connection(1), now: time(0))
        _ = pool.released(connection(1), now: time(0))
        #expect(pool.closed(connection(1)) == [])
        #expect(pool.submit(request(2)) == [.connect(connection(2))])
        #expect(pool.sweep(now: time(10)) == [])
    }

    @Test func cancelling() {
        var pool = pool(connections: 1)
        _ = pool.submit(request(1))
        _ = pool.connected(connection(1), now: time(0))
        _ = pool.submit(request(2))
        #expect(pool.cancel(request(1)) == .leased(connection(1)))
        #expect(pool.cancel(request(2)) == .waiting)
        #expect(pool.cancel(request(2)) == .unknown)
        #expect(pool.closed(connection(1)) == [])
    }

    @Test func doubtfulConnectionsAreGivenUpTogether() {
        var pool = pool()
        _ = pool.submit(request(1))
        _ = pool.submit(request(2))
        _ = pool.connected(connection(1), now: time(0))
        _ = pool.connected(connection(2), now: time(0))
        _ = pool.released(connection(1), now: time(0))
        #expect(pool.discardIdle() == [.close(connection(1))])
        #expect(pool.connectionCount == 1)
    }

    /// An attempt from an address of the old network would go on until its time-out.
    @Test func aChangedNetworkBeginsAttemptsAnew() {
        var pool = pool()
        _ = pool.submit(request(1))
        _ = pool.submit(request(2))
        _ = pool.connected(connection(1), now: time(0))
        #expect(pool.networkChanged() == [.close(connection(2)), .connect(connection(3))])
        #expect(pool.connectFailed(connection(2)) == [])
        #expect(pool.connected(connection(3), now: time(0)) == [.lease(connection(3), request(2))])
        #expect(pool.networkChanged() == [])
        // A failed attempt fails what waited when it was begun anew.
        _ = pool.submit(request(3))
        _ = pool.closed(connection(1))
        _ = pool.closed(connection(3))
        _ = pool.submit(request(4))
        #expect(
            pool.networkChanged() == [
                .close(connection(4)), .connect(connection(6)), .close(connection(5)), .connect(connection(7)),
            ])
        #expect(
            pool.connectFailed(connection(6)) == [
                .refuse(request(3), .connectFailed), .refuse(request(4), .connectFailed),
            ])
        // No request waits for the other one.
        #expect(pool.networkChanged() == [.close(connection(7))])
        #expect(pool.connectionCount == 0)
    }

    @Test func anAttemptIsBegunAnewOnlySometimes() {
        var pool = pool()
        _ = pool.submit(request(1))
        for _ in 0..<State.restartsMax {
            let actions = pool.networkChanged()
            #expect(actions.count == 2)
        }
        #expect(pool.networkChanged() == [])
        #expect(pool.connectionCount == 1)
    }

    @Test func shutDown() {
        var pool = pool()
        _ = pool.submit(request(1))
        _ = pool.connected(connection(1), now: time(0))
        _ = pool.submit(request(2))
        _ = pool.submit(request(3))
        #expect(
            pool.shutDown() == [
                .refuse(request(2), .shutDown), .refuse(request(3), .shutDown), .close(connection(1)),
                .close(connection(2)),
            ])
        #expect(pool.connected(connection(2), now: time(0)) == [.close(connection(2))])
        #expect(pool.closed(connection(1)) == [])
        #expect(pool.submit(request(4)) == [.refuse(request(4), .shutDown)])
    }

    /// A driver that responds to the pool at random. After the walk everything fails or ends, and every request must
    /// have been served or refused exactly once.
    private struct Walk {
        var pool: State
        var random: SplitMix
        var connecting: [State.ConnectionID] = []
        var leased: [State.ConnectionID: State.RequestID] = [:]
        var idle: Set<State.ConnectionID> = []
        var waiting: [State.RequestID] = []
        var served: [Int] = []
        var refused: [Int] = []
        var sweepAt: NIODeadline?
        var now = NIODeadline.uptimeNanoseconds(0)
        var broken: [String] = []

        mutating func perform(_ actions: [State.Action]) {
            for action in actions {
                switch action {
                case .connect(let connection): connecting.append(connection)
                case .lease(let connection, let request):
                    if let first = waiting.first, waiting.contains(request), first != request {
                        broken.append("\(request) served before \(first)")
                    }
                    if leased[connection] != nil { broken.append("\(connection) leased twice") }
                    waiting.removeAll { $0 == request }
                    idle.remove(connection)
                    leased[connection] = request
                    served.append(request.number)
                case .refuse(let request, _):
                    waiting.removeAll { $0 == request }
                    refused.append(request.number)
                case .close(let connection):
                    if let index = connecting.firstIndex(of: connection) {
                        connecting.remove(at: index)
                    } else if idle.remove(connection) == nil {
                        broken.append("\(connection) closed while not idle")
                    }
                case .sweep(let time):
                    if sweepAt != nil { broken.append("two sweeps") }
                    sweepAt = time
                }
            }
            broken += pool.brokenInvariants
        }

        mutating func step(_ number: Int) {
            now = now + .milliseconds(Int64(random.below(3000)))
            switch random.below(10) {
            case 0, 1, 2:
                waiting.append(State.RequestID(number: number))
                perform(pool.submit(State.RequestID(number: number)))
            case 3:
                guard let connection = takeConnecting() else { return }
                let before = leased.count
                perform(pool.connected(connection, now: now))
                if leased.count == before { idle.insert(connection) }
            case 4:
                guard let connection = takeConnecting() else { return }
                perform(pool.connectFailed(connection))
            case 5:
                guard let connection = leased.keys.min(by: { $0.number < $1.number }) else { return }
                leased[connection] = nil
                idle.insert(connection)
                perform(pool.released(connection, now: now))
            case 6:
                let all = leased.keys.map { $0 } + idle
                guard let connection = all.min(by: { $0.number < $1.number }) else { return }
                leased[connection] = nil
                idle.remove(connection)
                perform(pool.closed(connection))
            case 7:
                guard let request = waiting.last else { return }
                if pool.cancel(request) != .waiting { broken.append("\(request) is not waiting") }
                waiting.removeLast()
                refused.append(request.number)
            case 8:
                perform(pool.networkChanged())
            default:
                if let time = sweepAt, time <= now {
                    sweepAt = nil
                    perform(pool.sweep(now: now))
                }
            }
        }

        private mutating func takeConnecting() -> State.ConnectionID? {
            guard !connecting.isEmpty else { return nil }
            return connecting.remove(at: random.below(connecting.count))
        }

        /// Lets every attempt succeed and every lease end until nothing waits.
        mutating func settle() {
            var steps = 0
            while !waiting.isEmpty, steps < 1000 {
                steps += 1
                if let connection = takeConnecting() {
                    let before = leased.count
                    perform(pool.connected(connection, now: now))
                    if leased.count == before { idle.insert(connection) }
                } else if let connection = leased.keys.first {
                    leased[connection] = nil
                    perform(pool.closed(connection))
                } else {
                    broken.append("\(waiting.count) requests wait for nothing")
                    return
                }
            }
        }
    }

    @Test func randomWalksKeepTheGuarantees() {
        var served = 0
        var refused = 0
        for seed in 1...1000 {
            var random = SplitMix(seed: UInt64(seed))
            let pool = State(
                connectionsMax: 1 + random.below(4), requestsMax: 1 + random.below(5),
                idleTime: .seconds(Int64(random.below(10))))
            var walk = Walk(pool: pool, random: random)
            for number in 1...100 { walk.step(number) }
            walk.settle()
            if !walk.broken.isEmpty {
                Issue.record("seed \(seed): \(walk.broken.prefix(3))")
                return
            }
            #expect(Set(walk.served + walk.refused).count == walk.served.count + walk.refused.count)
            served += walk.served.count
            refused += walk.refused.count
        }
        // The walks reached both results often enough to be meaningful.
        #expect(served > 3_000)
        #expect(refused > 3_000)
    }
}

/// A small seeded generator, so that a failing walk can be repeated.
struct SplitMix {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func below(_ bound: Int) -> Int {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return Int((mixed ^ (mixed >> 31)) % UInt64(bound))
    }
}
