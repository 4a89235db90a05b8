import CausewayHTTPTransport
import Testing

/// When requests move from the socket to HTTP, and back.
@Suite struct CarrierChoiceTests {
    @Test func theSocketIsTriedFirst() {
        var choice = CarrierChoice()
        #expect(choice.choose(at: .zero) == .socket)
        #expect(choice.reason == nil)
    }

    @Test func aRefusedSocketIsProbedLaterAndLater() {
        var choice = CarrierChoice()
        choice.refused("refused (502)", at: .zero)
        #expect(choice.reason == "refused (502)")
        var now = Duration.zero
        for wait in [30, 60, 120, 240, 480, 960, 1800, 1800] as [Int64] {
            now += .seconds(wait) - .milliseconds(1)
            #expect(choice.choose(at: now) == .http(probes: false))
            now += .milliseconds(1)
            #expect(choice.choose(at: now) == .http(probes: true))
            // One probe at a time.
            #expect(choice.choose(at: now) == .http(probes: false))
            choice.probeFailed(at: now)
        }
        #expect(choice.reason == "refused (502)")
        now += .seconds(1800)
        #expect(choice.choose(at: now) == .http(probes: true))
        choice.opened(at: now)
        #expect(choice.choose(at: now) == .http(probes: false))
        choice.probeSucceeded()
        #expect(choice.choose(at: now) == .socket)
        #expect(choice.reason == nil)
    }

    @Test func threeEarlyEndsMoveToHTTP() {
        var choice = CarrierChoice()
        var now = Duration.zero
        for number in 1...3 {
            #expect(choice.choose(at: now) == .socket)
            choice.opened(at: now)
            now += .seconds(5)
            choice.lost(at: now, hasServed: true)
            #expect((choice.reason != nil) == (number == 3))
        }
        #expect(choice.choose(at: now) == .http(probes: false))
    }

    /// It was asked for before HTTP was chosen.
    @Test func anOpenedSocketThatIsNoProbeChangesNothing() {
        var choice = CarrierChoice()
        for _ in 1...3 {
            choice.opened(at: .zero)
            choice.lost(at: .zero, hasServed: true)
        }
        choice.opened(at: .zero)
        #expect(choice.choose(at: .zero) == .http(probes: false))
        choice.lost(at: .zero, hasServed: true)
        #expect(choice.choose(at: .seconds(30)) == .http(probes: true))
    }

    /// Something on the way lets sockets be opened, and swallows what they carry.
    @Test func socketsThatServeNothingAreGivenUpHoweverLongTheyLive() {
        var choice = CarrierChoice()
        var now = Duration.zero
        for number in 1...3 {
            choice.opened(at: now)
            now += .seconds(60)
            choice.lost(at: now, hasServed: false)
            #expect((choice.reason != nil) == (number == 3))
        }
        now += .seconds(30)
        #expect(choice.choose(at: now) == .http(probes: true))
        choice.opened(at: now)
        now += .seconds(60)
        choice.lost(at: now, hasServed: false)
        choice.probeFailed(at: now)
        #expect(choice.choose(at: now) == .http(probes: false))
    }

    @Test func aLongLifeForgivesEarlyEnds() {
        var choice = CarrierChoice()
        var now = Duration.zero
        for life in [1, 1, 60, 1, 1] as [Int64] {
            choice.opened(at: now)
            now += .seconds(life)
            choice.lost(at: now, hasServed: true)
        }
        #expect(choice.choose(at: now) == .socket)
    }

    /// Several requests find out at the same time.
    @Test func oneRefusalCountsOnce() {
        var choice = CarrierChoice()
        choice.refused("first", at: .zero)
        choice.refused("second", at: .zero)
        #expect(choice.reason == "first")
        #expect(choice.choose(at: .seconds(30)) == .http(probes: true))
    }
}
