import CausewayHTTP
import NIOCore
import NIOHTTP1
import NIOPosix

extension ControlClient {
    /// Over a connection of its own. Ends by throwing when the daemon stops.
    package func watch() -> AsyncThrowingStream<ActivityForm, any Error> {
        AsyncThrowingStream(bufferingPolicy: .bufferingNewest(1)) { [socketPath] continuation in
            let task = Task {
                do {
                    try await Self.follow(socketPath) { continuation.yield($0) }
                    continuation.finish(throwing: Self.unreachable(socketPath, "it closed the connection"))
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
        ControlError(.daemonUnreachable, "the daemon at \(socketPath) does not answer: \(detail)")
    }

    private static func follow(_ path: String, _ listener: @Sendable (ActivityForm) -> Void) async throws {
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connectTimeout(.seconds(10))
            .connect(unixDomainSocketPath: path) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHTTPClientHandlers()
                    return try NIOAsyncChannel<HTTPClientResponsePart, HTTPClientRequestPart>(
                        wrappingChannelSynchronously: channel)
                }
            }
        try await channel.executeThenClose { inbound, outbound in
            let fields: HTTPHeaders = ["Host": ControlHost.name, "Accept": "text/event-stream"]
            try await outbound.write(
                .head(HTTPRequestHead(version: .http1_1, method: .GET, uri: "/v1/events", headers: fields)))
            try await outbound.write(.end(nil))
            var reader = EventReader()
            for try await part in inbound {
                switch part {
                case .head(let head):
                    guard head.status == .ok else {
                        throw ControlError(.busy, "the daemon at \(path) answered \(head.status.code)")
                    }
                case .body(let bytes):
                    for event in try reader.events(in: bytes.readableBytesView) { listener(event) }
                case .end: return
                }
            }
        }
    }
}
