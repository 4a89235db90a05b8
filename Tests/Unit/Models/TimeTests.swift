import CausewayModels
import Foundation
import Testing

@Suite struct TimeTests {
    @Test(
        arguments: [
            (0, "1970-01-01T00:00:00.000Z"), (-1, "1969-12-31T23:59:59.999Z"),
            (951_782_400_000, "2000-02-29T00:00:00.000Z"), (1_709_164_799_999, "2024-02-28T23:59:59.999Z"),
            (1_795_254_426_988, "2026-11-21T09:47:06.988Z"), (4_107_542_400_000, "2100-03-01T00:00:00.000Z"),
        ] as [(Int64, String)])
    func timestampsReadAsRFC3339(milliseconds: Int64, text: String) {
        #expect(Timestamp(milliseconds: milliseconds).description == text)
    }

    @Test func everyDayOfFourCenturiesIsTheCalendars() throws {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = try #require(TimeZone(identifier: "UTC"))
        for day in stride(from: -30_000, to: 120_000, by: 17) {
            let seconds = day * 86_400
            let parts = calendar.dateComponents(
                [.year, .month, .day], from: Date(timeIntervalSince1970: TimeInterval(seconds)))
            let expected = try String(
                format: "%04d-%02d-%02d", #require(parts.year), #require(parts.month), #require(parts.day))
            #expect(Timestamp(milliseconds: Int64(seconds) * 1000).description.hasPrefix(expected))
        }
    }

    @Test func sumsStopAtTheEndsInsteadOfTrapping() {
        let (first, last) = (Timestamp(milliseconds: .min), Timestamp(milliseconds: .max))
        #expect(last.description == "9999-12-31T23:59:59.999Z")
        #expect(first.description == "0001-01-01T00:00:00.000Z")
        #expect(last.advanced(by: .seconds(1)) == last)
        #expect(first.advanced(by: .seconds(-1)) == first)
        #expect(first.milliseconds - last.milliseconds < 0)
        #expect(MonotonicTime.zero + .seconds(Int64.max) == MonotonicTime(nanoseconds: .max))
        #expect(MonotonicTime.zero + .seconds(Int64.min) == MonotonicTime(nanoseconds: .min))
        #expect(MonotonicTime.zero + .nanoseconds(Int64.max) + .nanoseconds(1) == MonotonicTime(nanoseconds: .max))
        #expect(MonotonicTime(nanoseconds: .min) - MonotonicTime(nanoseconds: .max) == .nanoseconds(Int64.min))
        #expect(MonotonicTime(nanoseconds: .max) - MonotonicTime(nanoseconds: .min) == .nanoseconds(Int64.max))
        #expect(MonotonicTime(nanoseconds: .max) + .seconds(1) == MonotonicTime(nanoseconds: .max))
        #expect(MonotonicTime.zero + .milliseconds(1500) - .zero == .milliseconds(1500))
    }

    @Test func pausesGrowToTheirBound() {
        let documented = RetryPolicy.documented
        #expect((1...4).map { documented.pause(afterAttempts: $0) } == Array(repeating: .seconds(5), count: 4))
        let patient = RetryPolicy.patient
        #expect(
            (1...8).map { patient.pause(afterAttempts: $0) } == [5, 10, 20, 40, 80, 160, 300, 300].map { .seconds($0) })
        #expect(patient.pause(afterAttempts: 440) == .seconds(300))
        #expect(patient.pause(afterAttempts: 0) == .seconds(5))
    }
}
