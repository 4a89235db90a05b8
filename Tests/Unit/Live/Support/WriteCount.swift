import Synchronization

/// A counter for any thread.
final class WriteCount: Sendable {
    private let value = Mutex(0)

    var count: Int { value.withLock { $0 } }

    /// The next number; `nil` once the bound is reached.
    func next(below bound: Int) -> Int? {
        value.withLock { value in
            guard value < bound else { return nil }
            value += 1
            return value
        }
    }
}
