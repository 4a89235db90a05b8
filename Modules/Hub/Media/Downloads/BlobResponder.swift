internal import CausewayHTTPServer
internal import CausewayHubBlobs
internal import CausewayHubRules
internal import CausewayHubStorage
internal import CausewayModels
internal import HTTPTypes
internal import Hummingbird
internal import Logging
internal import NIOCore

/// Files for the accounts that may read them. For all others a file does not exist: the response and the work for it
/// are the same as for an unknown name.
struct BlobResponder: Sendable {
    let files: HubFiles
    let responses: ResponseShares

    /// - Parameter message: the message through which the file is read: names it, and costs less to check.
    func respond(_ request: Request, through message: MessageID?, _ context: HubRequestContext) async throws -> Response
    {
        let account = try context.requireAccount()
        guard let name = BlobName(try context.parameters.require("blob")),
            let readable = try await files.storage.blob(name, for: account.requester, through: message)
        else { throw HubHTTPError.blobNotFound }
        guard let reader = try await open(name), reader.size == readable.blob.size else {
            context.logger.error("file missing", metadata: ["blob": "\(name)"])
            throw HubHTTPError.blobNotFound
        }
        return try respond(request, readable, reader, context)
    }

    private func open(_ name: BlobName) async throws(HubStorageError) -> (any BlobReader)? {
        do throws(BlobStorageError) {
            return try await files.blobs.open(name)
        } catch {
            throw .io(path: "blobs", detail: error.description)
        }
    }

    private func respond(
        _ request: Request, _ readable: ReadableBlob, _ reader: any BlobReader, _ context: HubRequestContext
    ) throws -> Response {
        let fields = BlobHeaders.fields(readable)
        let name = readable.blob.name
        if let list = request.headers[.ifNoneMatch], BlobHeaders.contains(list, name) {
            return Response(status: .notModified, headers: fields)
        }
        let size = readable.blob.size
        // A condition that does not hold makes the range void (RFC 9110 §13.1.5); a date never holds.
        let isCurrent = request.headers[.ifRange].map { $0 == BlobHeaders.tag(of: name) } ?? true
        let range: ByteRange =
            request.method == .get && isCurrent ? ByteRange(request.headers[.range], size: size) : .whole
        var response = Response(status: .ok, headers: fields)
        let bytes: Range<Int64>
        switch range {
        case .unsatisfiable:
            throw HubHTTPError(
                .rangeNotSatisfiable, code: "rangeInvalid", detail: "the file has \(size) bytes",
                headers: [.contentRange: "bytes */\(size)"])
        case .part(let part):
            bytes = part
            response.status = .partialContent
            response.headers[.contentRange] = "bytes \(part.lowerBound)-\(part.upperBound - 1)/\(size)"
        case .whole: bytes = 0..<size
        }
        if request.method == .head {
            response.headers[.contentLength] = String(size)
        } else {
            response.body = try body(bytes, of: reader, context)
        }
        return response
    }

    /// Reads a part of the file when the one before it has left: a slow client holds one part.
    private func body(
        _ bytes: Range<Int64>, of reader: any BlobReader, _ context: HubRequestContext
    ) throws -> ResponseBody {
        let lease = try responses.reserve(Int(min(Int64(HubLimits.filePartBytes), Int64(bytes.count))), context)
        let channel = context.channel
        return ResponseBody(contentLength: bytes.count) { writer in
            channel.triggerUserOutboundEvent(ResponseHold(lease), promise: nil)
            try await withTaskExecutorPreference(reader.executor) {
                var offset = bytes.lowerBound
                while offset < bytes.upperBound {
                    let count = Int(min(Int64(HubLimits.filePartBytes), bytes.upperBound - offset))
                    let part = try await reader.read(at: offset, count: count)
                    guard part.readableBytes > 0 else {
                        // Ends the connection: the length was announced.
                        throw BlobStorageError.io(path: "blobs", detail: "a file is cut short")
                    }
                    offset += Int64(part.readableBytes)
                    try await writer.write(part)
                    if offset < bytes.upperBound { await ResponseDrain.begin(on: channel).wait() }
                }
            }
            try await writer.finish(nil)
        }
    }
}
