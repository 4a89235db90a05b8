import ArgumentParser
import Causeway
import CausewaySQLiteStorage
import Foundation

/// The time that files take to a hub and back: `make bench-media` calls it, and curl for the same.
///
/// From the store's own copies, as a message's file is sent, some at the same time; and to the store's downloads, where
/// each is verified, one after the other. When the copies are made it prints `ready` and waits for a line of input:
/// the files are not needed any longer, and the caller can prepare the machine.
struct MediaBench: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "media", abstract: "Measure how files are uploaded and downloaded; print seconds for each.")

    @Option(help: "A folder on the disk to measure on.") var folder: String
    @Option(help: "The address of a hub, https://…") var hub: String
    @Option(help: "The hub's authority.") var authority: String
    @Option(help: "A file with the token of an account.") var tokenFile: String
    @Option(help: "The uploads at the same time.") var uploads = OutboxConfiguration().uploadsMax
    @Argument(help: "The files, which the hub does not have.") var files: [String]

    func run() async throws {
        let server = try BenchServer(address: hub, authority: authority, tokenFile: tokenFile, channel: "bench")
        let store = try await SQLiteStore.open(at: folder + "/store", durability: .full)
        guard let blobs = store.blobs else { throw BenchError("the store keeps no files") }
        let account = Account(server: hub, user: try user())
        var attachments: [Attachment] = []
        for (index, path) in files.enumerated() {
            let reference = BlobReference(account: account, message: MessageID(UUIDv7(high: 0, low: UInt64(index))))
            attachments.append(try await blobs.add(fileAt: path, for: reference, bytesMax: Limits.fileBytesMax))
        }
        guard let received = store.received else { throw BenchError("the store keeps no downloads") }
        try await server.withTransport { [attachments] transport in
            guard let media = transport.media else { throw BenchError("the hub has no files") }
            // The connection is open before the time begins, as it is for a client that runs.
            _ = try await transport.authenticate(knowing: nil, outbox: nil)
            try FileHandle.standardOutput.write(contentsOf: Data("ready\n".utf8))
            guard readLine() != nil else { throw BenchError("the caller of this bench has ended") }
            let uploading = try await ContinuousClock().measure {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for (index, attachment) in attachments.enumerated() {
                        if index >= uploads { try await group.next() }
                        group.addTask { try await upload(attachment, blobs, media) }
                    }
                    try await group.waitForAll()
                }
            }
            let downloading = try await ContinuousClock().measure {
                for attachment in attachments { try await download(attachment, to: received, media) }
            }
            print(uploading / .seconds(1), downloading / .seconds(1))
        }
        await store.close()
    }

    private func user() throws -> UserID {
        guard let user = UserID("bench") else { throw BenchError("invalid user") }
        return user
    }

    private func upload(_ file: Attachment, _ blobs: any BlobStore, _ media: any MediaStore) async throws {
        let source = BenchSource(blob: try await blobs.open(file.sha256))
        guard case .session(let session) = try await media.begin(file, from: source) else { return }
        _ = try await media.send(source, to: session, from: 0) { _ in }
    }

    private func download(_ file: Attachment, to received: any ReceivedFiles, _ media: any MediaStore) async throws {
        try await withTaskExecutorPreference(received.makeExecutor()) {
            let target = try await received.begin(file, bytesMax: Limits.fileBytesMax)
            try await media.download(file, from: 0) { part throws(TransportError) in
                do throws(BlobError) {
                    try await target.append(part)
                } catch {
                    throw .notSent(code: "unwritable", detail: "\(error)")
                }
            }
            _ = try await target.finish()
            await target.end()
        }
    }
}

/// A stored file as the transport reads it.
private struct BenchSource: ByteSource {
    let blob: any Blob

    func read(at offset: Int64, count: Int) async throws(TransportError) -> [UInt8] {
        do throws(BlobError) {
            return try await blob.read(at: offset, count: count)
        } catch {
            throw .notSent(code: "unreadable", detail: error.description)
        }
    }
}
