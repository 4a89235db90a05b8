import AsyncAlgorithms
import Causeway
import CausewayControlAPI
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import Synchronization

/// The bytes of files: received and sent in parts, never by a path. So the program that calls opens the file with its
/// own rights and in its own view of the file system, which a service may not share.
extension ControlRoutes {
    /// The media type of a message with the bytes of its file, which no page of a browser can send by itself.
    static let mediaType = "application/vnd.causeway.file"

    func addFiles(to router: Router<Context>) {
        router.post("/v1/files") { request, _ in try await sendFile(request) }
        router.get("/v1/messages/:id/file") { request, context in
            try await file(of: try messageID(context), from: try Self.offset(in: request))
        }
    }

    @inline(never)
    private func sendFile(_ request: Request) async throws -> Response {
        guard request.headers[.contentType] == Self.mediaType else {
            throw ControlError(.badRequest, "the body's Content-Type must be \(Self.mediaType)")
        }
        guard let length = request.headers[.contentLength].flatMap({ Int64($0) }) else {
            throw ControlError(.badRequest, "the request needs a Content-Length")
        }
        var iterator = request.body.makeAsyncIterator()
        var rest = ByteBuffer()
        while !rest.readableBytesView.contains(UInt8(ascii: "\n")) {
            guard rest.readableBytes <= ControlLimits.mediaHeadBytesMax, let more = try await iterator.next() else {
                throw ControlError(.badRequest, "the body must begin with a line of JSON that describes the message")
            }
            rest.writeImmutableBuffer(more)
        }
        let end = rest.readableBytesView.firstIndex(of: UInt8(ascii: "\n")) ?? rest.readerIndex
        let head = rest.readBytes(length: end - rest.readerIndex) ?? []
        rest.moveReaderIndex(forwardBy: 1)
        let message = try ControlJSON.decode(OutgoingMedia.self, from: Data(head), what: "the message")
        let sender = FilePartSender(service, message, size: length - Int64(head.count) - 1)
        return try await withTaskCancellationHandler {
            var next: ByteBuffer? = rest
            do {
                while let buffer = next, await sender.send(Array(buffer.readableBytesView)) {
                    next = try await iterator.next()
                }
                sender.finish(nil)
            } catch {
                sender.finish(error)
            }
            return try respond(try await sender.report(), status: .created)
        } onCancel: {
            sender.cancel()
        }
    }

    private func file(of id: MessageID, from offset: Int64) async throws -> Response {
        // Errors that are known before the first byte become a response of their own.
        let message = try await service.message(id)
        guard let attachment = message.attachment else {
            throw ControlError(.wrongState, "message \(id) has no file")
        }
        guard offset == 0 || offset < attachment.size else {
            throw ControlError(.badRequest, "the file has \(attachment.size) bytes; it has no byte \(offset)")
        }
        var response = Response(status: offset > 0 ? .partialContent : .ok)
        response.headers[.contentType] = "application/octet-stream"
        response.headers[.contentLength] = String(attachment.size - offset)
        if offset > 0 {
            response.headers[.contentRange] = "bytes \(offset)-\(attachment.size - 1)/\(attachment.size)"
        }
        let reader = FilePartReader(service, id, from: offset)
        // The first part shows whether the file can be read at all.
        let first = try await reader.next()
        response.body = ResponseBody(contentLength: Int(attachment.size - offset)) { writer in
            defer { reader.cancel() }
            var part = first
            while let bytes = part {
                try await writer.write(ByteBuffer(bytes: bytes))
                part = try await reader.next()
            }
            try await writer.finish(nil)
        }
        return response
    }

    private static func offset(in request: Request) throws(ControlError) -> Int64 {
        guard let text = request.headers[.range] else { return 0 }
        guard text.hasPrefix("bytes="), text.hasSuffix("-"),
            let offset = Int64(text.dropFirst("bytes=".count).dropLast()), offset >= 0
        else { throw ControlError(.badRequest, "invalid range; use bytes=N-") }
        return offset
    }
}

/// Turns the parts that arrive into parts that a service asks for: the next one is read when the one before it is
/// stored.
private final class FilePartSender: Sendable {
    private let parts = AsyncThrowingChannel<[UInt8], any Error>()
    private let isEnded = Atomic(false)
    private let task: Mutex<Task<Result<SendReport, ControlError>, Never>?>

    init(_ service: any ControlService, _ message: OutgoingMedia, size: Int64) {
        task = Mutex(nil)
        let parts = parts
        let started = Task { [self] in
            let result: Result<SendReport, ControlError>
            do throws(ControlError) {
                result = .success(
                    try await service.send(
                        message,
                        .parts(size: size) {
                            var iterator = parts.makeAsyncIterator()
                            return try await iterator.next()
                        }))
            } catch {
                result = .failure(error)
            }
            // A part that is being passed on is dropped: nothing reads it any longer.
            isEnded.store(true, ordering: .releasing)
            parts.finish()
            return result
        }
        task.withLock { $0 = started }
    }

    /// - Returns: false if no further part is wanted.
    func send(_ part: [UInt8]) async -> Bool {
        if !part.isEmpty { await parts.send(part) }
        return !isEnded.load(ordering: .acquiring)
    }

    func finish(_ error: (any Error)?) {
        if let error { parts.fail(error) } else { parts.finish() }
    }

    func report() async throws(ControlError) -> SendReport {
        guard let task = task.withLock({ $0 }) else { throw ControlError(.stopping, "the request was cancelled") }
        return try await task.value.get()
    }

    func cancel() { task.withLock { $0 }?.cancel() }
}

/// Turns the parts that a service passes on into parts that a response asks for: the next one is read when the one
/// before it has left.
private final class FilePartReader: Sendable {
    private let parts = AsyncThrowingChannel<[UInt8], any Error>()
    private let task: Task<Void, Never>

    init(_ service: any ControlService, _ id: MessageID, from offset: Int64) {
        let parts = parts
        task = Task {
            do throws(ControlError) {
                try await service.readFile(of: id, from: offset) { bytes throws(ControlError) in
                    await parts.send(bytes)
                    // A part that was not read is not the end of the reading by itself.
                    guard !Task.isCancelled else { throw ControlError(.stopping, "the request was cancelled") }
                }
                parts.finish()
            } catch {
                parts.fail(error)
            }
        }
    }

    /// A response of which nothing is written does not run its body.
    deinit { task.cancel() }

    /// The next part; `nil` at the end.
    func next() async throws -> [UInt8]? {
        var iterator = parts.makeAsyncIterator()
        return try await iterator.next()
    }

    func cancel() { task.cancel() }
}
