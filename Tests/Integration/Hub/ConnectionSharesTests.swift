import CausewayHTTPServer
import CausewayModels
import Testing

/// Which connections are kept when there are too many.
@Suite struct ConnectionSharesTests {
    private static func time(_ seconds: Int64) -> MonotonicTime { .zero + .seconds(seconds) }

    @Test func theLongestIdleOneOfTheSameAddressMakesRoom() {
        var shares = ConnectionShares<Int>(connectionsMax: 100, perPeerMax: 3)
        for id in 1...3 { #expect(shares.admit(id, from: "a", at: Self.time(Int64(id))) == .admitted) }
        shares.requestBegan(on: 1)
        #expect(shares.admit(4, from: "a", at: Self.time(4)) == .admittedInsteadOf(2))
        shares.becameIdle(1, at: Self.time(5))
        #expect(shares.admit(5, from: "a", at: Self.time(6)) == .admittedInsteadOf(3))
        #expect(shares.admit(6, from: "b", at: Self.time(6)) == .admitted)
        #expect(shares.count(of: "a") == 3)
    }

    @Test func whoIsBeingServedIsNeverCut() {
        var shares = ConnectionShares<Int>(connectionsMax: 100, perPeerMax: 2)
        for id in 1...2 {
            _ = shares.admit(id, from: "a", at: Self.time(0))
            shares.requestBegan(on: id)
        }
        #expect(shares.admit(3, from: "a", at: Self.time(1)) == .refused)
        #expect(shares.count == 2)
        shares.remove(1)
        #expect(shares.admit(3, from: "a", at: Self.time(2)) == .admitted)
    }

    @Test func whoHoldsMostMakesRoomForOthers() {
        var shares = ConnectionShares<Int>(connectionsMax: 4, perPeerMax: 10)
        for id in 1...3 { _ = shares.admit(id, from: "a", at: Self.time(Int64(id))) }
        _ = shares.admit(4, from: "b", at: Self.time(0))
        #expect(shares.admit(5, from: "c", at: Self.time(9)) == .admittedInsteadOf(1))
        #expect(shares.count == 4)
        #expect(shares.count(of: "b") == 1)
        shares.remove(99)
        #expect(shares.count == 4)
    }
}
