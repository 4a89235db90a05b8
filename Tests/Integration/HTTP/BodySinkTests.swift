import CausewayHTTP
import Synchronization
import Testing

@Suite struct BodySinkTests {
    private struct Full: Error {}

    @Test func passesPartsAndErrorsOnUntilItIsReleased() async throws {
        let parts = Mutex<[[UInt8]]>([])
        let sink = BodySink<Full> { part throws(Full) in
            guard !part.isEmpty else { throw Full() }
            parts.withLock { $0.append(part) }
        }
        try await sink.receive([1, 2])
        try await sink.receive([3])
        await #expect(throws: Full.self) { try await sink.receive([]) }
        sink.release()
        try await sink.receive([])
        try await sink.receive([4])
        #expect(parts.withLock { $0 } == [[1, 2], [3]])
    }

    @Test func releasesWhatTheClosureHolds() async throws {
        final class Held: Sendable {}
        weak var held: Held?
        let sink: BodySink<Never>
        do {
            let object = Held()
            held = object
            sink = BodySink { _ in withExtendedLifetime(object) {} }
        }
        await sink.receive([1])
        #expect(held != nil)
        sink.release()
        #expect(held == nil)
    }

    /// The parts of a large file: a call that costs a little more than the one before takes forty times as long at the
    /// end.
    @Test func theLastPartCostsWhatTheFirstOneDid() async {
        let sink = BodySink<Never> { _ in }
        var times: [Duration] = []
        for _ in 1...10_000 {
            times.append(await ContinuousClock().measure { await sink.receive([]) })
        }
        // A busy machine interrupts some calls, not most of them.
        let first = times.prefix(500).sorted()[250]
        let last = times.suffix(500).sorted()[250]
        #expect(last < first * 10, "\(last) for the last parts, \(first) for the first ones")
    }
}
