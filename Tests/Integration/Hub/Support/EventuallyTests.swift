import CausewayTestSupport
import Testing

/// The bound of a test that waits for others.
@Suite struct EventuallyTests {
    @Test func aBodyThatNeverEndsFails() async throws {
        await #expect(throws: Eventually.TookTooLong.self) {
            try await Eventually.ends(within: .milliseconds(20)) {
                let (endless, continuation) = AsyncStream.makeStream(of: Void.self)
                for await _ in endless {}
                continuation.finish()
            }
        }
    }

    @Test func aBodyThatEndsReturnsOrThrows() async throws {
        #expect(try await Eventually.ends { 7 } == 7)
        await #expect(throws: CancellationError.self) {
            try await Eventually.ends { throw CancellationError() }
        }
    }
}
