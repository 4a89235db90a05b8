internal import CausewayHTTPServer
internal import CausewayHubBlobs
internal import CausewayHubRules
internal import Hummingbird
internal import NIOCore

/// Receives the content of one request into a part, and reports the durable offset from time to time.
///
/// Whichever way the content ends, everything that arrived is durable before it returns, but for the rest of an upload
/// that has arrived as a whole: it becomes a blob next, which makes it durable.
struct UploadReceiver {
    enum Outcome: Equatable {
        /// The content has ended, or was cut.
        case ended(received: Int64)
        /// More bytes than the upload lacks.
        case exceeded
    }

    let part: any BlobPart
    /// The bytes after which the upload is complete; `nil` if the content is not to complete it.
    let rest: Int64?
    /// Called with the durable offset.
    let report: @Sendable (Int64) -> Void

    /// - Throws: `BlobStorageError`: the bytes after the durable offset are lost then.
    func receive(_ body: RequestBody, atMost bytesMax: Int64) async throws(BlobStorageError) -> Outcome {
        var received: Int64 = 0
        var unsynced = 0
        let clock = ContinuousClock()
        var synced = clock.now
        var block: [UInt8] = []
        block.reserveCapacity(HubLimits.filePartBytes)
        var iterator = body.makeAsyncIterator()
        // An error is a cut as well: the connection has ended.
        while let buffer = try? await iterator.next() {
            guard received + Int64(buffer.readableBytes) <= bytesMax else { return .exceeded }
            received += Int64(buffer.readableBytes)
            block.append(contentsOf: buffer.readableBytesView)
            // A slow client learns how far it came all the same.
            let isDue = synced.duration(to: clock.now) >= .milliseconds(HubLimits.uploadReportMilliseconds)
            guard isDue || block.count >= HubLimits.filePartBytes else { continue }
            try await part.append(block)
            unsynced += block.count
            block.removeAll(keepingCapacity: true)
            guard isDue || unsynced >= HubLimits.uploadSyncBytes else { continue }
            report(try await part.sync())
            unsynced = 0
            synced = clock.now
        }
        if !block.isEmpty { try await part.append(block) }
        if received != rest { _ = try await part.sync() }
        return .ended(received: received)
    }
}
