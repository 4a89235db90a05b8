import CausewayModels
import CausewaySimulatedRuntime
import CausewayStorage
import CausewayTransport

/// The hub's files as one transport reaches them: every call goes through the simulated network.
struct SimulatedMedia: MediaStore {
    let transport: SimulatedTransport
    let partBytesMax = 16
    let fileBytesMax: Int64 = 1 << 20

    func begin(_ file: Attachment) async throws(TransportError) -> UploadStart {
        try await call { world in
            if world.files.complete.contains(file.sha256) {
                return .success(.present(UploadReceipt(name: file.sha256, sha256: file.sha256)))
            }
            world.files.begun += 1
            let location = "/uploads/\(world.files.begun)"
            world.files.uploads[location] = 0
            return .success(.session(UploadSession(location: location, file: file)))
        }
    }

    func offset(of session: UploadSession) async throws(TransportError) -> Int64 {
        try await call { world in
            world.files.uploads[session.location].map { .success($0) } ?? .failure(Self.unknown)
        }
    }

    func send(
        _ source: any ByteSource, to session: UploadSession, from offset: Int64,
        progress: @escaping @Sendable (Int64) -> Void
    ) async throws(TransportError) -> UploadReceipt {
        var sent = offset
        repeat {
            let part = try await source.read(at: sent, count: partBytesMax)
            let (from, count) = (sent, Int64(part.count))
            sent = try await call { world in
                guard let received = world.files.uploads[session.location] else { return .failure(Self.unknown) }
                guard received == from else {
                    return .failure(.refused(code: "mismatchingOffset", detail: "the offset is \(received)"))
                }
                world.files.uploads[session.location] = received + count
                if received + count == session.file.size {
                    world.files.uploads[session.location] = nil
                    world.files.complete.insert(session.file.sha256)
                }
                return .success(received + count)
            }
            progress(sent)
        } while sent < session.file.size
        return UploadReceipt(name: session.file.sha256, sha256: session.file.sha256)
    }

    func cancel(_ session: UploadSession) async throws(TransportError) {
        try await call { world in
            world.files.uploads[session.location] = nil
            return .success(())
        }
    }

    func download(
        _ file: Attachment, from offset: Int64,
        to body: @Sendable (_ part: [UInt8]) async throws(TransportError) -> Void
    ) async throws(TransportError) {
        throw .refused(code: "blobNotFound", detail: "nobody reads files")
    }

    private static let unknown = TransportError.refused(code: "sessionUnknown", detail: "no such upload")

    private func call<Value: Sendable>(
        _ body: @escaping @Sendable (World) -> Result<Value, TransportError>
    ) async throws(TransportError) -> Value {
        try await transport.call { reply in transport.world.transfer(body, transport, reply) }
    }
}

extension World {
    /// The hub's files.
    struct Files {
        /// The bytes that arrived of each upload.
        var uploads: [String: Int64] = [:]
        var complete: Set<String> = []
        var begun = 0
    }

    /// A request of an upload.
    func transfer<Value: Sendable>(
        _ body: @escaping @Sendable (World) -> Result<Value, TransportError>, _ transport: SimulatedTransport,
        _ reply: Reply<Value>
    ) {
        guard processes[transport.process].life != .dead else { return }
        let device = processes[transport.process].device
        guard passes(device, reply) else { return }
        after(latency()) { [self] in
            let outcome = doorError(transport.token).map { .failure($0) } ?? body(self)
            let isCut = devices[device].cutUntil > runtime.now
            answer(reply, isCut ? .failure(.inDoubt(detail: "cut")) : outcome, after: latency())
        }
    }
}

/// The files of a device: each is there as long as a message may need it, and its hash begins with its size.
struct DeviceFiles: BlobStore {
    private struct File: Blob {
        let size: Int64
        var path: String? { nil }

        func read(at offset: Int64, count: Int) async throws(BlobError) -> [UInt8] {
            [UInt8](repeating: 7, count: Int(max(0, min(Int64(count), size - offset))))
        }
    }

    func add(fileAt path: String, for reference: BlobReference, bytesMax: Int64) async throws(BlobError) -> Attachment {
        throw .sourceMissing(path: path)
    }

    func open(_ sha256: String) async throws(BlobError) -> any Blob {
        guard let size = Int64(sha256.prefix { $0 != "-" }) else { throw .missing(sha256: sha256) }
        return File(size: size)
    }

    func release(_ references: [BlobReference]) async throws(BlobError) {}
    func references(of account: Account) async throws(BlobError) -> [BlobReference] { [] }
    func usage() async throws(BlobError) -> BlobUsage { BlobUsage(blobs: 0, bytes: 0) }
    func close() async {}
}
