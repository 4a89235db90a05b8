import CausewayModels
import CausewayStorage
import CausewaySync

/// The files of a store, as far as messages need them.
struct MessageFiles: Sendable {
    let blobs: any BlobStore
    let received: (any ReceivedFiles)?
    let collector: BlobCollector

    /// Copies a file for a message.
    func add(
        _ source: MediaSource, for reference: BlobReference, bytesMax: Int64
    ) async throws(ClientError) -> Attachment {
        do throws(BlobError) {
            switch source.bytes {
            case .path(let path): return try await blobs.add(fileAt: path, for: reference, bytesMax: bytesMax)
            case .parts(let next):
                let copy = try await blobs.makeIncomingFile()
                let result = await fill(copy, next, bytesMax: bytesMax, name: source.name ?? "")
                let attachment: Attachment
                do throws(BlobError) {
                    try result.get()
                    attachment = try await blobs.add(fileAt: copy.path, for: reference, bytesMax: bytesMax)
                } catch {
                    await copy.remove()
                    throw error
                }
                await copy.remove()
                return attachment
            }
        } catch {
            throw ClientError(error)
        }
    }

    private func fill(
        _ copy: any IncomingFile, _ next: @Sendable () async throws -> [UInt8]?, bytesMax: Int64, name: String
    ) async -> Result<Void, BlobError> {
        var bytes: Int64 = 0
        while true {
            let part: [UInt8]?
            do {
                part = try await next()
            } catch {
                return .failure(Task.isCancelled ? .cancelled : .sourceUnreadable(path: name, detail: "\(error)"))
            }
            guard let part else { return .success(()) }
            bytes += Int64(part.count)
            guard bytes <= bytesMax else { return .failure(.fileTooLarge(path: name, bytes: bytes, limit: bytesMax)) }
            do throws(BlobError) { try await copy.append(part) } catch { return .failure(error) }
        }
    }

    func release(_ reference: BlobReference) async {
        // The collector's sweep finds what is left.
        do throws(BlobError) { try await blobs.release([reference]) } catch {}
    }

    /// The store's own copy of a file; `nil` if it was not sent from here.
    func blob(of attachment: Attachment) async -> (any Blob)? {
        guard let blob = try? await blobs.open(attachment.sha256), blob.size == attachment.size else { return nil }
        return blob
    }

    /// A file that is here, open for reading: the store's own copy, or a complete download.
    func reader(of attachment: Attachment) async -> (any Blob)? {
        if let blob = await blob(of: attachment) { return blob }
        // One that cannot be read is requested from the server.
        return try? await received?.open(attachment)
    }

    func path(of attachment: Attachment) async -> String? { await blob(of: attachment)?.path }
}
