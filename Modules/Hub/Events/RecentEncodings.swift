internal import Synchronization

/// The latest encodings, kept because many readers of a channel read the same events at the same time.
///
/// Bounded by bytes: when half of them are used, everything older than that is dropped.
final class RecentEncodings<Key: Hashable & Sendable, Encoding: Sendable>: Sendable {
    private struct State {
        var recent: [Key: Encoding] = [:]
        var older: [Key: Encoding] = [:]
        var recentBytes = 0
    }

    private let bytesMax: Int
    private let state = Mutex(State())

    init(bytesMax: Int) { self.bytesMax = bytesMax }

    /// Returns the encoding of a key, which `encode` makes unless it is known.
    ///
    /// - Parameter count: the bytes of an encoding.
    func encoding(
        of key: Key, count: (Encoding) -> Int, _ encode: () throws -> Encoding
    ) rethrows -> Encoding {
        if let known = state.withLock({ $0.recent[key] ?? $0.older[key] }) { return known }
        let encoding = try encode()
        let bytes = count(encoding)
        state.withLock { state in
            guard bytes <= bytesMax / 8, state.recent.updateValue(encoding, forKey: key) == nil else { return }
            state.recentBytes += bytes
            guard state.recentBytes > bytesMax / 2 else { return }
            state.older = state.recent
            state.recent = [:]
            state.recentBytes = 0
        }
        return encoding
    }
}
