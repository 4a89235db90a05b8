import CausewayModels
import CausewayTLS
import Synchronization

/// The bytes of a download that were passed on, and their hash.
final class DownloadProgress: Sendable {
    private struct State: ~Copyable {
        var offset: Int64
        var hash = SHA256Stream()
    }

    private let state: Mutex<State>

    init(at offset: Int64) { state = Mutex(State(offset: offset)) }

    var offset: Int64 { state.withLock { $0.offset } }

    /// SHA-256 of the bytes so far, in lower-case hexadecimal.
    var hexDigest: String { state.withLock { HexadecimalHash.text(of: $0.hash.digest()) } }

    func add(_ bytes: [UInt8]) {
        state.withLock { state in
            state.offset += Int64(bytes.count)
            state.hash.update(bytes)
        }
    }
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
