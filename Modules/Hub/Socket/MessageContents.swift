internal import CausewayWebSocket
internal import Dispatch
internal import NIOCore

/// Decompresses the messages of sockets as the bodies of HTTP are: on threads of its own, few at a time, taking turns
/// between accounts, and counted in the share of the account.
final class MessageContents: Sendable {
    /// A socket waits for one message at a time, so that its account has no more waiting than it has sockets.
    private let gate = FairGate(slots: HubLimits.decodersMax, waitingPerAccountMax: .max)
    private let queue = DispatchQueue(label: "causeway.hub.messages", attributes: .concurrent)
    private let bodies: BodyLimiter

    init(_ bodies: BodyLimiter) { self.bodies = bodies }

    /// Runs `body` with the content of a message, whose bytes count until it returns.
    ///
    /// - Throws: the reason to close the socket: as ``WebSocketMessage/content(growing:)``, and 1013 for content that
    ///   has no room.
    func with<Value>(
        _ message: WebSocketMessage, _ context: HubRequestContext, _ body: ([UInt8]) -> Value
    ) async throws(WebSocketClose) -> Value {
        do {
            guard message.isCompressed else { return body(try message.content()) }
            let lease = bodies.lease(for: try context.requireOwner())
            defer { withExtendedLifetime(lease) {} }
            return body(try await content(of: message, context, lease))
        } catch let close as WebSocketClose {
            throw close
        } catch {
            throw WebSocketClose(.tryLater, "too many bytes are being received")
        }
    }

    private func content(
        of message: WebSocketMessage, _ context: HubRequestContext, _ lease: ByteLease
    ) async throws -> [UInt8] {
        try await gate.run(for: context.requireAccount()) {
            // As it arrived; the connection does not count it any more.
            try lease.add(message.payloadBytes)
            return try await withCheckedThrowingContinuation { continuation in
                queue.async {
                    continuation.resume(with: Result { try message.content { try lease.add($0) } })
                }
            }
        }
    }
}
