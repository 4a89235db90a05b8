package import CausewayControlAPI
import CausewayHTTP
import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix

extension ControlClient {
    /// Uses a connection of its own. Ends by throwing when the daemon stops or falls silent.
    package func watch() -> AsyncThrowingStream<ActivityResponse, any Error> {
        AsyncThrowingStream(bufferingPolicy: .bufferingNewest(1)) { [socketPath, watchSilence] continuation in
            let task = Task {
                do {
                    try await Self.listen(socketPath, silence: watchSilence) { continuation.yield($0) }
                    continuation.finish(throwing: Self.unreachable(socketPath, "the event stream ended"))
                } catch let error as ControlError {
                    continuation.finish(throwing: error)
                } catch {
                    continuation.finish(throwing: Self.unreachable(socketPath, "\(error)"))
                }
            }
            continuation.onTermination = { _ in task.cancel() }
        }
    }

    private static func unreachable(_ socketPath: String, _ detail: String) -> ControlError {
        ControlError(.daemonUnreachable, "the daemon at \(socketPath) does not respond: \(detail)")
    }

    private static func listen(
        _ path: String, silence: Duration, _ listener: @Sendable (ActivityResponse) -> Void
    ) async throws {
        let channel = try await EventStreamConnection.open(path, silence: TimeAmount(silence))
        try await channel.executeThenClose { inbound, outbound in
            try await outbound.write(.head(EventStreamConnection.request("/v1/events")))
            try await outbound.write(.end(nil))
            var lines = ServerSentEventParser(bytesMax: ControlLimits.eventBytesMax)
            for try await part in inbound {
                switch part {
                case .head(let head):
                    guard head.status == .ok else {
                        throw unreachable(path, "status \(head.status.code)")
                    }
                case .body(let bytes):
                    for event in try lines.events(in: bytes.readableBytesView) {
                        let data = Data(event.data)
                        guard event.name != "problem" else {
                            throw try ControlJSON.decode(ErrorResponse.self, from: data, what: "an event").error.error
                        }
                        listener(try ControlJSON.decode(ActivityResponse.self, from: data, what: "an event"))
                    }
                case .end: return
                }
            }
        }
    }
}
