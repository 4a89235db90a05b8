internal import Synchronization

/// Bounds the memory of all request bodies together.
final class BodyBudget: Sendable {
    private let bytesMax: Int
    private let used = Mutex(0)

    init(bytesMax: Int = HubLimits.bodyBytesInFlightMax) { self.bytesMax = bytesMax }

    /// Runs `body` with `bytes` set aside for it.
    ///
    /// - Throws: 503 `busy` at once when there is no room; nothing queues here.
    func with<Value>(_ bytes: Int, _ body: () async throws -> Value) async throws -> Value {
        let isGranted = used.withLock { used in
            guard used + bytes <= bytesMax else { return false }
            used += bytes
            return true
        }
        guard isGranted else { throw HubRefusal.busy }
        defer { used.withLock { $0 -= bytes } }
        return try await body()
    }
}
