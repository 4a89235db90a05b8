internal import Hummingbird
internal import NIOCore
internal import Synchronization

/// Reads bodies, and bounds the memory of all that are held at the same time.
///
/// Bytes count as they come in, so that a client that announces much and sends little takes nothing from the others.
final class BodyBudget: Sendable {
    private let bytesMax: Int
    private let used = Mutex(0)

    init(bytesMax: Int = HubLimits.bodyBytesInFlightMax) { self.bytesMax = bytesMax }

    /// Runs `body` with the whole body of the request, which counts until it returns.
    ///
    /// - Throws: 413 for a body over the limit; 503 `busy` at once when there is no room: nothing queues here.
    func collecting<Value>(_ request: Request, _ body: (ByteBuffer) async throws -> Value) async throws -> Value {
        if let announced = request.headers[.contentLength] {
            guard let bytes = Int(announced), bytes <= HubLimits.requestBytesMax else { throw HubRefusal.bodyTooLarge }
        }
        var whole = ByteBuffer()
        defer { give(back: whole.readableBytes) }
        for try await part in request.body {
            guard whole.readableBytes + part.readableBytes <= HubLimits.requestBytesMax else {
                throw HubRefusal.bodyTooLarge
            }
            guard take(part.readableBytes) else { throw HubRefusal.busy }
            whole.writeImmutableBuffer(part)
        }
        return try await body(whole)
    }

    private func take(_ bytes: Int) -> Bool {
        used.withLock { used in
            guard used + bytes <= bytesMax else { return false }
            used += bytes
            return true
        }
    }

    private func give(back bytes: Int) { used.withLock { $0 -= bytes } }
}
