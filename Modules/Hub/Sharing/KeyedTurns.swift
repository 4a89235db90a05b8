internal import Synchronization

/// Runs bodies with the same key one after the other, in the order of their calls.
final class KeyedTurns<Key: Hashable & Sendable>: Sendable {
    private let waiting = Mutex<[Key: [CheckedContinuation<Void, Never>]]>([:])

    func run<Value>(_ key: Key, _ body: () async throws -> Value) async rethrows -> Value {
        await withCheckedContinuation { continuation in
            let isFree = waiting.withLock { waiting in
                guard waiting[key] != nil else {
                    waiting[key] = []
                    return true
                }
                waiting[key]?.append(continuation)
                return false
            }
            if isFree { continuation.resume() }
        }
        defer {
            let next = waiting.withLock { waiting -> CheckedContinuation<Void, Never>? in
                guard waiting[key]?.isEmpty == false else {
                    waiting[key] = nil
                    return nil
                }
                return waiting[key]?.removeFirst()
            }
            next?.resume()
        }
        return try await body()
    }
}
