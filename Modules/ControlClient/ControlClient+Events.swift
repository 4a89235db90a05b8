package import CausewayControlAPI
import CausewayHTTP
import CausewayModels
import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix

extension ControlClient {
    /// Uses a connection of its own, which is read no faster than `listener` returns.
    package func follow(_ query: FollowQuery, _ listener: (FollowEvent) async throws -> Void) async throws {
        let path = "/v1/channels/\(Self.escaped(query.channel.value))/messages/live?limit=\(query.limit)"
        do {
            let channel = try await EventStreamConnection.open(
                socketPath, silence: .seconds(3 * Int64(ControlLimits.followSilenceSecondsMax)))
            try await channel.executeThenClose { inbound, outbound in
                try await outbound.write(.head(EventStreamConnection.request(path)))
                try await outbound.write(.end(nil))
                try await read(inbound, listener)
            }
        } catch let error as any NIOError {
            throw lost("\(error)")
        }
        try Task.checkCancellation()
        throw lost("the daemon stopped")
    }

    private typealias Inbound = NIOAsyncChannelInboundStream<HTTPClientResponsePart>

    private func read(_ inbound: Inbound, _ listener: (FollowEvent) async throws -> Void) async throws {
        var lines = ServerSentEventParser(bytesMax: ControlLimits.responseBytesMax)
        var refused: HTTPResponseStatus?
        var response: [UInt8] = []
        for try await part in inbound {
            switch part {
            case .head(let head): refused = head.status == .ok ? nil : head.status
            case .body(let bytes) where refused != nil:
                response += bytes.readableBytesView.prefix(ControlLimits.pemBytesMax - response.count)
            case .body(let bytes):
                for event in try lines.events(in: bytes.readableBytesView) {
                    guard event.name != "problem" else { throw problem(in: event.data, refused) }
                    try await listener(
                        try ControlJSON.decode(FollowEvent.self, from: Data(event.data), what: "the daemon's event"))
                }
            case .end:
                if refused != nil { throw problem(in: response, refused) }
                return
            }
        }
    }

    private func problem(in response: [UInt8], _ status: HTTPResponseStatus?) -> ControlError {
        let told = try? ControlJSON.decode(ErrorResponse.self, from: Data(response), what: "the response")
        let words = status.map { " with status \($0.code)" } ?? " with something other than events"
        return told?.error.error
            ?? ControlError(.internalError, "the daemon at \(socketPath) responded\(words)")
    }

    private func lost(_ detail: String) -> ControlError {
        ControlError(.daemonUnreachable, "the event stream of the daemon at \(socketPath) ended: \(detail)")
    }
}

/// Every error of the network layer that ends a stream.
private protocol NIOError: Error {}
extension IOError: NIOError {}
extension ChannelError: NIOError {}
extension HTTPParserError: NIOError {}
extension NIOConnectionError: NIOError {}
