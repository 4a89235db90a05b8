import Synchronization

/// The bytes of an upload that the server has, as reported to the caller: never fewer than before.
final class ReachedOffset: Sendable {
    private let offset: Mutex<Int64>
    private let progress: @Sendable (Int64) -> Void

    init(_ offset: Int64, _ progress: @escaping @Sendable (Int64) -> Void) {
        self.offset = Mutex(offset)
        self.progress = progress
    }

    func report(_ new: Int64) {
        let isNew = offset.withLock { offset in
            defer { offset = max(offset, new) }
            return new > offset
        }
        if isNew { progress(new) }
    }
}

/// The next byte of a body that one task reads.
final class NextByte: Sendable {
    private let stored: Atomic<Int64>

    init(_ value: Int64) { stored = Atomic(value) }

    var value: Int64 {
        get { stored.load(ordering: .acquiring) }
        set { stored.store(newValue, ordering: .releasing) }
    }
}
