import CausewayModels
import CausewayRuntime
import CausewayTransport
import Synchronization

/// A server's files in memory, by the rules of the port: offsets never go back, a receipt follows verification, and a
/// client that breaks an order is found out.
final class ScriptedMedia: MediaStore {
    struct State: Sendable {
        var sessions: [String: [UInt8]] = [:]
        var files: Set<String> = []
        /// The calls in order: `begin a`, `offset /u/1`, `send /u/1 from 0`, `cancel /u/1`.
        var calls: [String] = []
        /// The errors of the next calls of `begin` and `offset`.
        var errors: [TransportError] = []
        /// The bytes after which the next transfers break.
        var cuts: [Int64] = []
        /// How long the creation of a session takes.
        var beginTime: Duration = .zero
        /// How long each part takes.
        var partTime: Duration = .zero
        /// Bytes that arrived, over all sessions.
        var received: Int64 = 0
        var lastSession = 0
        /// Violations of the port's rules by the client.
        var violations: [String] = []
    }

    let partBytesMax = 64
    let fileBytesMax: Int64 = 1 << 20
    let state = Mutex(State())
    private let runtime: any Runtime
    /// Called with the session before its first byte.
    private let beforeSending: @Sendable (UploadSession) async -> Void

    init(_ runtime: any Runtime, beforeSending: @escaping @Sendable (UploadSession) async -> Void = { _ in }) {
        self.runtime = runtime
        self.beforeSending = beforeSending
    }

    /// The content of a file of a test, which follows from its hash.
    static func bytes(_ sha256: String, size: Int64) -> [UInt8] {
        let seed = sha256.utf8.reduce(UInt8(1)) { $0 &* 31 &+ $1 }
        return (0..<Int(size)).map { UInt8(truncatingIfNeeded: $0) &* 7 &+ seed }
    }

    func has(_ file: Attachment) -> Bool { state.withLock { $0.files.contains(file.sha256) } }

    var calls: [String] { state.withLock { $0.calls } }
    var violations: [String] { state.withLock { $0.violations } }

    func begin(_ file: Attachment) async throws(TransportError) -> UploadStart {
        try noteCall("begin \(file.sha256)")
        let beginTime = state.withLock { $0.beginTime }
        if beginTime > .zero { await runtime.sleep(until: runtime.now + beginTime) }
        return state.withLock { state in
            if state.files.contains(file.sha256) {
                return .present(UploadReceipt(name: file.sha256, sha256: file.sha256))
            }
            state.lastSession += 1
            let location = "/u/\(state.lastSession)"
            state.sessions[location] = []
            return .session(UploadSession(location: location, file: file))
        }
    }

    func offset(of session: UploadSession) async throws(TransportError) -> Int64 {
        try noteCall("offset \(session.location)")
        guard let bytes = state.withLock({ $0.sessions[session.location] }) else {
            throw .refused(code: "sessionUnknown", detail: "for a test")
        }
        return Int64(bytes.count)
    }

    private func noteCall(_ call: String) throws(TransportError) {
        let error = state.withLock { state in
            state.calls.append(call)
            return state.errors.isEmpty ? nil : state.errors.removeFirst()
        }
        if let error { throw error }
    }

    func send(
        _ source: any ByteSource, to session: UploadSession, from offset: Int64,
        progress: @escaping @Sendable (Int64) -> Void
    ) async throws(TransportError) -> UploadReceipt {
        await beforeSending(session)
        let (cut, partTime) = state.withLock { state in
            state.calls.append("send \(session.location) from \(offset)")
            if state.sessions[session.location].map({ Int64($0.count) }) != offset {
                state.violations.append("\(session.location) is sent from \(offset)")
            }
            return (state.cuts.isEmpty ? Int64?.none : state.cuts.removeFirst(), state.partTime)
        }
        var sent = offset
        while sent < session.file.size {
            let count = min(Int64(partBytesMax), session.file.size - sent, (cut ?? .max) - sent)
            if count <= 0 { throw .inDoubt(detail: "cut for a test") }
            let part = try await source.read(at: sent, count: Int(count))
            if partTime > .zero { await runtime.sleep(until: runtime.now + partTime) }
            if Task.isCancelled { throw .inDoubt(detail: "cancelled") }
            sent += Int64(part.count)
            state.withLock { state in
                state.sessions[session.location]?.append(contentsOf: part)
                state.received += Int64(part.count)
            }
            progress(sent)
        }
        let isWhole = state.withLock { state in
            let bytes = state.sessions.removeValue(forKey: session.location)
            let isWhole = bytes == Self.bytes(session.file.sha256, size: session.file.size)
            if isWhole { state.files.insert(session.file.sha256) }
            return isWhole
        }
        guard isWhole else { throw .refused(code: "hashMismatch", detail: "for a test") }
        return UploadReceipt(name: session.file.sha256, sha256: session.file.sha256)
    }

    func cancel(_ session: UploadSession) async throws(TransportError) {
        // As a request of a task that is cancelled, which is never sent.
        if Task.isCancelled { throw .unreachable(detail: "cancelled") }
        state.withLock { state in
            state.calls.append("cancel \(session.location)")
            state.sessions[session.location] = nil
        }
    }

    func download(
        _ file: Attachment, from offset: Int64,
        to body: @Sendable (_ part: [UInt8]) async throws(TransportError) -> Void
    ) async throws(TransportError) {
        throw .refused(code: "blobNotFound", detail: "for a test")
    }
}
