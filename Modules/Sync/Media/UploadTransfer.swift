import CausewayModels
import CausewayOutbox
import CausewayRuntime
import CausewayStorage
import CausewayTransport

/// The transfer of one file to a server: finds out what the server has, and sends the rest.
///
/// A few parts of at most ``MediaStore/partBytesMax`` bytes of the file are in memory at a time.
struct UploadTransfer: Sendable {
    /// A point in a transfer of which the engine has to know before it goes on.
    enum Step: Sendable {
        case opened(UploadSession)
        case resumed(offset: Int64)
        case progressed(sent: Int64)
    }

    let file: Attachment
    /// The session to resume; `nil` to open one.
    let session: UploadSession?
    /// Whether an earlier attempt failed: each step leaves something that the next attempt can continue from now on.
    let isRepeated: Bool
    let blobs: any BlobStore
    let media: any MediaStore
    let meter: UploadProgressMeter
    let runtime: any Runtime
    /// Reports a step to the engine; returns false if the upload is no longer needed.
    let report: @Sendable (Step) async -> Bool

    /// Transfers the file.
    ///
    /// - Returns: the end of the attempt; `nil` if the upload is no longer needed.
    func run() async -> UploadEvent? {
        let blob: any Blob
        do throws(BlobError) {
            blob = try await blobs.open(file.sha256)
        } catch {
            let code = error.isLasting ? BlobByteSource.unreadableCode : "storeUnavailable"
            return TransportError.notSent(code: code, detail: error.description).uploadEvent
        }
        guard blob.size == file.size else {
            let detail = "its file has \(blob.size) bytes instead of \(file.size)"
            return .unsendable(code: BlobByteSource.unreadableCode, detail: detail)
        }
        do throws(TransportError) {
            return try await transfer(BlobByteSource(blob: blob))
        } catch {
            return error.uploadEvent
        }
    }

    private func transfer(_ source: BlobByteSource) async throws(TransportError) -> UploadEvent? {
        if let session {
            let offset = try await media.offset(of: session)
            guard (0...file.size).contains(offset) else {
                throw .inDoubt(detail: "the server reported an offset beyond the end of the file")
            }
            guard await report(.resumed(offset: offset)) else { return nil }
            return try await send(source, to: session, from: offset)
        }
        switch try await media.begin(file, from: isRepeated ? nil : source) {
        case .present(let receipt): return try uploaded(receipt)
        case .session(let opened):
            guard await report(.opened(opened)) else {
                // In a task of its own: this one is cancelled, and would send nothing.
                runtime.spawn { [media] in await media.cancelIfPossible(opened) }
                return nil
            }
            return try await send(source, to: opened, from: 0)
        }
    }

    private func send(
        _ source: BlobByteSource, to session: UploadSession, from offset: Int64
    ) async throws(TransportError) -> UploadEvent {
        let (meter, runtime, report) = (meter, runtime, report)
        let receipt = try await media.send(source, to: session, from: offset) { sent in
            guard meter.record(sent) else { return }
            runtime.spawn { _ = await report(.progressed(sent: sent)) }
        }
        return try uploaded(receipt)
    }

    /// The end of an upload of which the server returned a receipt.
    private func uploaded(_ receipt: UploadReceipt) throws(TransportError) -> UploadEvent {
        guard receipt.sha256 == file.sha256 else {
            throw .refused(code: "hashMismatch", detail: "the server confirmed another file")
        }
        return .uploaded(receipt: receipt.name)
    }
}

extension MediaStore {
    /// Cancels a session that nothing needs; the server collects one that is left.
    func cancelIfPossible(_ session: UploadSession) async {
        do throws(TransportError) { try await cancel(session) } catch {}
    }
}
