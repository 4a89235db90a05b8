import CausewayModels
import CausewayOutbox
import CausewayStorage
import Testing

/// Links on which a full batch takes longer than a response may take.
@Suite struct SlowLinkTests {
    /// A link that all batches under way share, and requests that are given up after a time.
    private struct Link {
        var bytesPerSecond: Double
        var timeout = 30.0
        /// Bytes of an operation beside its content.
        var surroundings = 420
        var contentBytes: Int

        func seconds(for batches: some Collection<Batch>) -> Double {
            let operations = batches.reduce(0) { $0 + $1.operations.count }
            return Double(operations * (surroundings + contentBytes)) / bytesPerSecond
        }
    }

    /// - Returns: seconds until everything is delivered; `nil` if that takes longer than `limit`.
    private func drain(_ count: Int, over link: Link, within limit: Double) -> Double? {
        var harness = OutboxHarness(isOnline: false) { $0.deliveriesInFlightMax = 4 }
        create(count, &harness, bytes: link.contentBytes)
        harness.take(.sessionBegan)
        harness.take(.authenticated)
        var (delivered, answered, spent) = (0, 0, 0.0)
        while delivered < count, spent < limit {
            let underWay = harness.batches[answered...]
            let needed = link.seconds(for: underWay)
            if underWay.isEmpty {
                harness.wait(.seconds(5))
                spent += 5
                if harness.batches.count == answered { harness.take(.authenticated) }
            } else if needed > link.timeout {
                harness.wait(.seconds(30))
                spent += link.timeout
                // All of them are taken back.
                (answered, _) = (harness.batches.count, harness.fail(answered + 1, .noAnswer))
            } else {
                harness.wait(.milliseconds(Int(needed * 1000)))
                spent += needed
                for batch in underWay {
                    answered += 1
                    harness.answer(answered, batch.operations.map { _ in accepted() }, mark: 0)
                    #expect(harness.told.allSatisfy { $0.hasSuffix("delivered") })
                    delivered += batch.operations.count
                }
            }
        }
        return delivered == count ? spent : nil
    }

    /// Creates messages in one commit.
    private func create(_ count: Int, _ harness: inout OutboxHarness, bytes: Int = 10) {
        var entries: [OutboxEntry] = []
        for number in 0..<count {
            entries.append(harness.entry(UnicodeScalar(UInt32(0x1_0000 + number)).map(String.init) ?? "", .text, bytes))
        }
        harness.take(.enqueued(entries))
    }

    /// Small and large messages at 64 and at 16 kbit/s: none fails, and most of the time is spent on what arrives.
    @Test(arguments: [(8_000.0, 30), (8_000, 4_000), (2_000, 30), (2_000, 4_000)])
    func aBacklogDrainsOverASlowLink(bytesPerSecond: Double, contentBytes: Int) throws {
        let link = Link(bytesPerSecond: bytesPerSecond, contentBytes: contentBytes)
        let count = contentBytes > 1000 ? 600 : 3_000
        let needed = Double(count * (link.surroundings + contentBytes)) / bytesPerSecond
        let spent = try #require(drain(count, over: link, within: needed * 10), "it does not drain")
        #expect(spent < needed * 3, "\(spent) s instead of \(needed) s")
    }

    /// An outage cuts off small batches: what is queued meanwhile leaves in full ones.
    @Test func aShortBatchThatIsCutOffNarrowsNothing() {
        var harness = OutboxHarness { $0.deliveriesInFlightMax = 4 }
        harness.create("a")
        harness.fail(1, .noAnswer)
        create(4_096, &harness)
        harness.take(.authenticated)
        harness.wait(.seconds(5))
        #expect(harness.batches.dropFirst().map(\.operations.count) == [1])
        harness.answer(2, accepted())
        #expect(harness.batches.dropFirst(2).map(\.operations.count) == [1024, 1024, 1024, 1024])
    }

    /// After a large batch was cut off: half of it, one at a time, and after some responses more again.
    @Test func batchesGrowAgain() {
        var harness = OutboxHarness(isOnline: false) { $0.deliveriesInFlightMax = 4 }
        create(18_000, &harness)
        harness.take(.sessionBegan)
        harness.take(.authenticated)
        #expect(harness.batches.map(\.operations.count) == [1024, 1024, 1024, 1024])
        harness.fail(1, .noAnswer)
        harness.take(.authenticated)
        harness.wait(.seconds(5))
        #expect(harness.batches.dropFirst(4).map(\.operations.count) == [1])
        var answered = 4
        func respond() {
            answered += 1
            harness.answer(answered, harness.batches[answered - 1].operations.map { _ in accepted() })
        }
        respond()
        for _ in 0..<7 {
            #expect(harness.batches.count == answered + 1)
            #expect(harness.batches[answered].operations.count == 512)
            respond()
        }
        // Then the size that failed, one at a time, before there are several.
        var sizes: [Int] = []
        while harness.batches.count == answered + 1, sizes.count < 40 {
            sizes.append(harness.batches[answered].operations.count)
            respond()
        }
        #expect(sizes == Array(repeating: 1024, count: 8), "\(sizes)")
        #expect(harness.batches[answered...].map(\.operations.count) == [1024, 1024, 1024, 1024])
    }
}
