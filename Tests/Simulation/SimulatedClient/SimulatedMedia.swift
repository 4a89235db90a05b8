import CausewayModels
import CausewaySimulatedRuntime
import CausewayTransport

/// The hub's files as one transport reaches them: every call goes through the simulated network.
struct SimulatedMedia: MediaStore {
    let transport: SimulatedTransport
    let partBytesMax = 16
    let fileBytesMax: Int64 = 1 << 20

    private var world: World { transport.world }

    func begin(_ file: Attachment) async throws(TransportError) -> UploadStart {
        world.checkBeginning(of: file, transport.process)
        return try await call { world in world.beginUpload(of: file, transport) }
    }

    func offset(of session: UploadSession) async throws(TransportError) -> Int64 {
        try await call { world in world.offset(of: session, transport) }
    }

    func send(
        _ source: any ByteSource, to session: UploadSession, from offset: Int64,
        progress: @escaping @Sendable (Int64) -> Void
    ) async throws(TransportError) -> UploadReceipt {
        if world.plan.plantedFault == .uploadsGoOn {
            let transport = transport
            world.after(.seconds(3)) { transport.world.transfer({ _ in .success(()) }, transport, Reply<Void>()) }
        }
        var sent = offset
        repeat {
            let part = try await source.read(at: sent, count: partBytesMax)
            let from = sent
            world.checkSending(of: session.file, transport.process)
            sent = try await call { world in world.receive(part, of: session, from: from, transport) }
            progress(sent)
        } while sent < session.file.size
        return UploadReceipt(name: session.file.sha256, sha256: session.file.sha256)
    }

    func cancel(_ session: UploadSession) async throws(TransportError) {
        if world.plan.plantedFault == .uploadsAreNotCancelled { return }
        try await call(isCancellation: true) { world in
            world.hubFiles.remove(session.location)
            return .success(())
        }
    }

    func download(
        _ file: Attachment, from offset: Int64,
        to body: @Sendable (_ part: [UInt8]) async throws(TransportError) -> Void
    ) async throws(TransportError) {
        throw .refused(code: "blobNotFound", detail: "nobody reads files")
    }

    private func call<Value: Sendable>(
        isCancellation: Bool = false, _ body: @escaping @Sendable (World) -> Result<Value, TransportError>
    ) async throws(TransportError) -> Value {
        world.network.openTransfers += 1
        defer { world.network.openTransfers -= 1 }
        return try await transport.call { reply in
            world.transfer(body, transport, reply, isCancellation: isCancellation)
        }
    }
}
