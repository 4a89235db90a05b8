import CausewayModels
import Synchronization

/// The number of bytes of a file that were passed on.
final class DownloadProgress: Sendable {
    private let passedOn: Mutex<Int64>

    init(at offset: Int64) { passedOn = Mutex(offset) }

    var offset: Int64 { passedOn.withLock { $0 } }

    func add(_ count: Int) { passedOn.withLock { $0 += Int64(count) } }
}

/// The caller's closure for the parts of a download, until it is released.
final class DownloadSink: Sendable {
    typealias Body = @Sendable (_ part: [UInt8]) async throws(TransportError) -> Void

    private let body: Mutex<Body?>

    init(_ body: @escaping Body) { self.body = Mutex(body) }

    func receive(_ part: [UInt8]) async throws(TransportError) {
        guard let body = body.withLock({ $0 }) else { return }
        try await body(part)
    }

    func release() { body.withLock { $0 = nil } }
}
