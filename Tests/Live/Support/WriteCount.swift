import Synchronization

/// Counts what happens, on any thread.
final class WriteCount: Sendable {
    private let value = Mutex(0)

    var count: Int { value.withLock { $0 } }

    /// The next number; `nil` from the bound on.
    func next(below bound: Int) -> Int? {
        value.withLock { value in
            guard value < bound else { return nil }
            value += 1
            return value
        }
    }
}
