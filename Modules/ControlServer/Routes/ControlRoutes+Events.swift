import Causeway
import CausewayControlAPI
import HTTPTypes
import Hummingbird
import NIOCore

extension ControlRoutes {
    /// Server-Sent Events, each a ``FollowEvent``, until the reader disconnects or the daemon stops.
    func addFollowing(to router: Router<Context>) {
        router.get("/v1/channels/:channel/messages/live") { request, context in
            let channel = try channelID(context.parameters.get("channel") ?? "")
            let limit = try number("limit", in: request).map { Int(clamping: $0) } ?? Limits.pageSizeDefault
            return followed(FollowQuery(channel: channel, limit: limit))
        }
    }

    private func followed(_ query: FollowQuery) -> Response {
        Response(
            status: .ok, headers: [.contentType: "text/event-stream", .cacheControl: "no-store"],
            body: ResponseBody { writer in
                // Lent to the closure below, which only this task calls, one call after the other.
                let lent = LentWriter(writer)
                do {
                    try await service.follow(query) { try await lent.write(try Self.event($0)) }
                } catch let error as ControlError {
                    // The response head has already been sent.
                    try await writer.write(try Self.event(ErrorResponse(error), name: "problem"))
                }
                try await writer.finish(nil)
            })
    }

    static func event(_ value: some Encodable, name: String? = nil) throws(ControlError) -> ByteBuffer {
        var event = ByteBuffer()
        if let name { event.writeString("event: \(name)\n") }
        event.writeString("data: ")
        event.writeBytes(try ControlJSON.encode(value))
        event.writeString("\n\n")
        return event
    }
}

/// The writer of a response body, lent to a closure.
///
/// Unchecked `Sendable`, and safe without a lock: it never leaves the one task that writes the response, and its calls
/// come one after the other.
private final class LentWriter: @unchecked Sendable {
    private var writer: any ResponseBodyWriter

    init(_ writer: any ResponseBodyWriter) { self.writer = writer }

    func write(_ bytes: ByteBuffer) async throws { try await writer.write(bytes) }
}
