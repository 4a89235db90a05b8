package import Causeway
package import CausewayControlAPI
import Synchronization

extension ClientControlService {
    package func send(_ message: OutgoingMedia, _ bytes: MediaBytes) async throws(ControlError) -> SendReport {
        try message.check()
        var source: MediaSource
        switch bytes {
        case .path(let path): source = MediaSource(path: path, name: message.name)
        case .parts(let size, let next):
            let counted = ByteCount()
            source = MediaSource(name: message.name) {
                let part = try await next()
                counted.add(part?.count ?? 0)
                // A request that was cut must not become half a file.
                guard part != nil || counted.bytes == size else { throw CutFile() }
                return part
            }
        }
        source.preview = message.previewBytes
        let (channel, caption, parent) = (message.channel, message.caption, message.parent)
        let tags = message.tags ?? []
        let id = try await asked { () throws(ClientError) in
            let messages = client.messages
            switch message.kind {
            case .image:
                return try await messages.createImageMessage(
                    source, in: channel, caption: caption, parent: parent, tags: tags
                ).id
            case .video:
                return try await messages.createVideoMessage(
                    source, in: channel, caption: caption, parent: parent, tags: tags
                ).id
            case .audio:
                return try await messages.createAudioMessage(source, in: channel, parent: parent, tags: tags).id
            case .file:
                return try await messages.createFileMessage(
                    source, in: channel, caption: caption, parent: parent, tags: tags
                ).id
            }
        }
        return SendReport(ids: [id])
    }

    package func readFile(
        of id: MessageID, from offset: Int64, to body: @Sendable ([UInt8]) async throws(ControlError) -> Void
    ) async throws(ControlError) {
        let refusal = Mutex(ControlError?.none)
        do throws(ClientError) {
            try await client.messages.readFile(of: id, from: offset) { bytes throws(TransportError) in
                do throws(ControlError) {
                    try await body(bytes)
                } catch {
                    refusal.withLock { $0 = error }
                    throw .notSent(code: "fileNotStored", detail: error.detail)
                }
            }
        } catch {
            throw refusal.withLock { $0 } ?? ControlError(error)
        }
    }
}

/// The body of a request ended before its announced length.
private struct CutFile: Error, CustomStringConvertible {
    var description: String { "the transfer to this process was cut" }
}

/// Bytes that were received.
private final class ByteCount: Sendable {
    private let stored = Mutex(Int64(0))

    var bytes: Int64 { stored.withLock { $0 } }
    func add(_ count: Int) { stored.withLock { $0 += Int64(count) } }
}
