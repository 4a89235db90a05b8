import Causeway
import CausewayControlAPI
import CausewayModels
import CausewayTestSupport
import NIOCore
import NIOPosix
import Synchronization
import Testing

/// The end of the reading of a file by a caller that leaves.
@Suite(.timeLimit(.minutes(5))) struct ReadingEndTests {
    /// The readings of a service, which begin to deliver when they are let.
    private final class Readings: Sendable {
        private struct State {
            var begun = 0
            var ended = 0
            var waiting: [CheckedContinuation<Void, Never>] = []
        }

        private let state = Mutex(State())

        var begun: Int { state.withLock { $0.begun } }
        var ended: Int { state.withLock { $0.ended } }

        /// Delivers without end, as long as parts are taken.
        func read(_ body: DeafService.File.Body) async throws(ControlError) {
            await withCheckedContinuation { continuation in
                state.withLock { state in
                    state.begun += 1
                    state.waiting.append(continuation)
                }
            }
            defer { state.withLock { $0.ended += 1 } }
            while true { try await body([UInt8](repeating: 1, count: 1000)) }
        }

        func deliver() {
            let waiting = state.withLock { state in
                defer { state.waiting = [] }
                return state.waiting
            }
            for continuation in waiting { continuation.resume() }
        }
    }

    private static func message() throws -> MessageDTO {
        let attachment = CausewayModels.Attachment(
            name: "a", contentType: "text/plain", size: 1 << 40, sha256: String(repeating: "a", count: 64))
        return MessageDTO(
            Message(
                id: try #require(MessageID("0190a6b2-1c3d-7e4f-8a5b-000000000001")),
                channel: try #require(ChannelID("c")), sender: try #require(UserID("ann")),
                content: .file(attachment, caption: nil), createdAt: Timestamp(milliseconds: 1000), ordinal: 1,
                lane: nil, laneSequence: 0, syncState: .synced))
    }

    @Test func aCallerThatLeavesEndsTheReading() async throws {
        let folder = try TemporaryFolder(.short)
        let path = folder.path + "/s"
        let readings = Readings()
        let file = DeafService.File(message: try Self.message()) { body throws(ControlError) in
            try await readings.read(body)
        }
        let id = file.message.id
        let request = "GET /v1/messages/\(id)/file HTTP/1.1\r\nHost: causeway\r\n\r\n"
        try await ControlWorld.serving(DeafService(file: file), at: path) {
            // Before the first part, of which then nothing is written, and after some.
            for isEarly in [true, false] {
                for _ in 1...4 {
                    let begun = readings.begun
                    let caller = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                        .connect(unixDomainSocketPath: path).get()
                    try await caller.writeAndFlush(ByteBuffer(string: request))
                    try await Eventually.holds("the reading has begun") { readings.begun > begun }
                    if !isEarly { readings.deliver() }
                    try await caller.close()
                }
                // The server has served another caller since.
                _ = try await RawRequest.send(Array("GET /v1/status HTTP/1.1\r\nHost: causeway\r\n\r\n".utf8), to: path)
                readings.deliver()
                try await Eventually.holds("no reading is left") { readings.ended == readings.begun }
            }
            #expect(readings.begun == 8)
        }
    }
}
