import Synchronization

/// The number of bytes of a file that were passed on.
final class DownloadProgress: Sendable {
    private let passedOn: Mutex<Int64>

    init(at offset: Int64) { passedOn = Mutex(offset) }

    var offset: Int64 { passedOn.withLock { $0 } }

    func add(_ count: Int) { passedOn.withLock { $0 += Int64(count) } }
}
