import Causeway
import CausewayControlServer
import Testing

@Suite struct DeliveryHistogramTests {
    private func minute(_ number: Int64, second: Int64 = 0) -> Timestamp {
        Timestamp(milliseconds: (1000 + number) * 60_000 + second * 1000)
    }

    @Test func countsFallIntoTheirMinutes() {
        var history = DeliveryHistogram()
        history.record(2, at: minute(0))
        history.record(3, at: minute(0, second: 59))
        history.record(7, at: minute(2))
        let counts = history.perMinute(at: minute(3))
        #expect(counts.count == DeliveryHistogram.minutesMax)
        #expect(counts.suffix(4) == [5, 0, 7, 0])
        #expect(counts.dropLast(4).allSatisfy { $0 == 0 })
    }

    @Test func whatIsOldIsForgotten() {
        var history = DeliveryHistogram()
        history.record(1, at: minute(0))
        history.record(1, at: minute(1))
        #expect(history.perMinute(at: minute(59)).reduce(0, +) == 2)
        #expect(history.perMinute(at: minute(60)).reduce(0, +) == 1)
        #expect(history.perMinute(at: minute(61)).reduce(0, +) == 0)
        #expect(history.perMinute(at: minute(1_000_000)).count == DeliveryHistogram.minutesMax)
    }

    @Test func aClockThatIsSetBackLosesNothingOrBeginsAnew() {
        var history = DeliveryHistogram()
        history.record(4, at: minute(10))
        history.record(1, at: minute(8))
        #expect(history.perMinute(at: minute(9)).last == 5)
        history.record(2, at: minute(-900))
        #expect(history.perMinute(at: minute(-900)).suffix(2) == [0, 2])
        #expect(history.perMinute(at: minute(-900)).reduce(0, +) == 2)
    }
}
