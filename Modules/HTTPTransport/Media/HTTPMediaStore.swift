import CausewayHTTP
import CausewayModels
import CausewayTLS
import CausewayTransport
import CausewayWire
import HTTPTypes
import NIOCore
import Synchronization

/// Files on a Causeway server: resumable uploads (draft-ietf-httpbis-resumable-upload, interop version 8) and downloads
/// of ranges, over HTTP/1.1 with connections of their own.
///
/// A transfer whose connection is cut continues at once on another one, as long as each of them brings it forward: an
/// upload asks for the offset, a download continues at the next byte. After one that brought nothing the error is
/// reported, so that the outbox waits.
///
/// Classification of responses, beyond the table at ``HTTPTransport``:
///
/// | response | error |
/// | --- | --- |
/// | 404 to an upload: it has expired, or was removed | `refused(sessionUnknown)` |
/// | 404 to a file | `refused(blobNotFound)` |
/// | 400 `hashMismatch`, 413, 507 `quotaExceeded` | `refused(…)` |
/// | 429 `tooManyUploads`, 507 with `Retry-After` | `rateLimited` |
/// | 409 with another offset | no error: the upload continues there |
/// | the same, more than three times in a row | `transient(offsetMismatch)` |
struct HTTPMediaStore: MediaStore {
    let client: HTTPClient
    let requests: MediaRequestBuilder
    let parser: ResponseParser
    let timeouts: TransferTimeouts
    let limit: FileSizeLimit

    var partBytesMax: Int { Limits.blobPartBytesMax }
    var fileBytesMax: Int64 { limit.bytes }

    // MARK: - Uploads

    func begin(_ file: Attachment) async throws(TransportError) -> UploadStart {
        try await begin(file, from: nil)
    }

    func begin(_ file: Attachment, from source: (any ByteSource)?) async throws(TransportError) -> UploadStart {
        guard let digest = MediaRequestBuilder.digest(file.sha256) else {
            throw .refused(code: "hashInvalid", detail: "the attachment's SHA-256 is invalid")
        }
        if let source, file.size <= HTTPTransportLimits.createdWithContentBytesMax,
            let start = try await create(file, digest, with: source)
        {
            return start
        }
        if try await has(file) { return .present(file.receipt) }
        return try await create(file, digest)
    }

    private func has(_ file: Attachment) async throws(TransportError) -> Bool {
        let response = try await send(requests.blobHead(file.sha256))
        if response.status.code == 404 {
            try parser.checkProtocol(of: response)
            return false
        }
        try parser.requireSuccess(response, isHead: true)
        return response.fields[.contentLength].flatMap { Int64($0) } == file.size
    }

    private func create(_ file: Attachment, _ digest: String) async throws(TransportError) -> UploadStart {
        let response = try await send(requests.create(file, digest, isComplete: false))
        learn(from: response)
        try parser.requireSuccess(response)
        guard let location = MediaRequestBuilder.location(in: response.fields) else {
            throw parser.foreign("an upload without a location")
        }
        return .session(UploadSession(location: location, file: file))
    }

    /// Creates an upload with the whole file in the same request, which saves two. The content waits until the server
    /// wants it: one that has the file for this account responds at once, one that does not take it refuses.
    ///
    /// If the request is cut and the server has named the upload, the rest is sent to it.
    ///
    /// - Returns: `nil` if the server takes no such request, or the connection ended before any content was sent: a
    ///   kept connection may have been closed at that moment.
    private func create(
        _ file: Attachment, _ digest: String, with source: any ByteSource
    ) async throws(TransportError) -> UploadStart? {
        let announced = Mutex(String?.none)
        let hasBegun = Mutex(false)
        var creation = HTTPTransfer(
            requests.create(file, digest, isComplete: true), body: body(source, from: 0, to: file.size),
            timeouts: timeouts, awaitsContinue: true
        ) { interim in
            guard MediaRequestBuilder.isAboutUpload(interim),
                let location = MediaRequestBuilder.location(in: interim.fields)
            else { return }
            announced.withLock { $0 = location }
        }
        creation.bodyBegan = { hasBegun.withLock { $0 = true } }
        do throws(TransportError) {
            let response = try await transfer(creation)
            if response.status.code == 417 { return nil }
            learn(from: response)
            return .present(try receipt(in: response, for: file))
        } catch {
            guard error.leavesSession else { throw error }
            // The upload was created: the rest of it can be sent.
            if let location = announced.withLock({ $0 }) {
                return .session(UploadSession(location: location, file: file))
            }
            guard case .inDoubt = error, !hasBegun.withLock({ $0 }), !Task.isCancelled else { throw error }
            return nil
        }
    }

    func offset(of session: UploadSession) async throws(TransportError) -> Int64 {
        let response = try await send(try requests.uploadHead(session))
        try parser.requireSuccess(response, isHead: true, unknown: Self.sessionUnknown)
        learn(from: response)
        guard let offset = MediaRequestBuilder.number(MediaFields.offset, in: response.fields),
            offset <= session.file.size
        else { throw parser.foreign("an upload without a valid offset") }
        return offset
    }

    func send(
        _ source: any ByteSource, to session: UploadSession, from offset: Int64,
        progress: @escaping @Sendable (Int64) -> Void
    ) async throws(TransportError) -> UploadReceipt {
        let reached = ReachedOffset(offset, progress)
        var start = offset
        var furthest = offset
        var mismatches = 0
        while true {
            do throws(TransportError) {
                switch try await append(source, to: session, from: start, reached) {
                case .complete(let receipt): return receipt
                case .elsewhere(let expected):
                    guard expected != start else { throw parser.foreign("a mismatch of equal offsets") }
                    mismatches += 1
                    guard mismatches <= HTTPTransportLimits.offsetMismatchesMax else { throw offsetMismatch }
                    start = expected
                }
            } catch {
                guard error.leavesSession, !Task.isCancelled else { throw error }
                // One look at the upload; if the cut request brought nothing, the outbox waits.
                let found = try await self.offset(of: session)
                reached.report(found)
                guard found > start else { throw error }
                start = found
                if found > furthest {
                    furthest = found
                    mismatches = 0
                }
            }
        }
    }

    private var offsetMismatch: TransportError {
        .transient(
            code: "offsetMismatch",
            detail: "\(client.endpoint): the server named another offset of the upload each time")
    }

    private enum Appended {
        case complete(UploadReceipt)
        case elsewhere(Int64)
    }

    private func append(
        _ source: any ByteSource, to session: UploadSession, from offset: Int64, _ reached: ReachedOffset
    ) async throws(TransportError) -> Appended {
        let file = session.file
        let response = try await transfer(
            HTTPTransfer(
                try requests.append(to: session, at: offset),
                body: body(source, from: offset, to: file.size),
                timeouts: timeouts
            ) { interim in
                guard MediaRequestBuilder.isAboutUpload(interim),
                    let offset = MediaRequestBuilder.number(MediaFields.offset, in: interim.fields), offset <= file.size
                else { return }
                reached.report(offset)
            })
        let problem = MediaProblem(response)
        if response.status.code == 409, let expected = problem?.expectedOffset, (0...file.size).contains(expected) {
            try parser.checkProtocol(of: response)
            return .elsewhere(expected)
        }
        if response.status.code == 400, problem?.isCompleted == true, try await has(file) {
            return .complete(file.receipt)
        }
        return .complete(try receipt(in: response, for: file))
    }

    func cancel(_ session: UploadSession) async throws(TransportError) {
        let response = try await send(try requests.delete(session))
        // The 404 of a captive portal proves nothing: the server may have the upload.
        guard response.status.code != 404 else { return try parser.checkProtocol(of: response) }
        try parser.requireSuccess(response)
    }

    // MARK: - Downloads

    func download(
        _ file: Attachment, from offset: Int64,
        to body: @Sendable (_ part: [UInt8]) async throws(TransportError) -> Void
    ) async throws(TransportError) {
        guard (0...file.size).contains(offset) else {
            throw .refused(code: "offsetInvalid", detail: "the file has \(file.size) bytes; it has no byte \(offset)")
        }
        let progress = DownloadProgress(at: offset, of: file.size)
        try await withoutActuallyEscaping(body) { (body) async throws(TransportError) in
            let sink = BodySink(body)
            defer { sink.release() }
            while progress.offset < file.size {
                let start = progress.offset
                do throws(TransportError) {
                    try await part(of: file, progress, sink)
                } catch {
                    // Bytes beyond the end are an error also if all bytes of the file came before them.
                    guard error.leavesSession, !progress.isExceeded, progress.offset > start, !Task.isCancelled
                    else { throw error }
                }
            }
        }
    }

    private func part(
        of file: Attachment, _ progress: DownloadProgress, _ sink: BodySink<TransportError>
    ) async throws(TransportError) {
        let start = progress.offset
        let receiver = ResponseBodyReceiver { status, fields in
            // The page of a captive portal is no file.
            guard parser.hasProtocol(fields) else { return false }
            return status.code == 206 ? ContentRange(fields)?.first == start : status.code == 200 && start == 0
        } receive: { bytes in
            guard progress.arrived(bytes.count) else { throw MediaBodyError.tooLong }
            try await sink.receive(bytes)
            progress.passedOn(bytes.count)
        }
        let response = try await transfer(
            HTTPTransfer(requests.blob(file.sha256, from: start), receiver: receiver, timeouts: timeouts))
        try parser.requireSuccess(
            response, unknown: .refused(code: "blobNotFound", detail: "the server does not have this file any longer"))
        // Anything else than the requested bytes was not passed on.
        guard progress.offset == file.size else { throw parser.foreign("other bytes than those requested") }
    }

    // MARK: - Parts

    private func body(_ source: any ByteSource, from offset: Int64, to end: Int64) -> RequestBodyParts {
        let partBytesMax = partBytesMax
        let position = NextByte(offset)
        return RequestBodyParts(length: end - offset) {
            let start = position.value
            let count = Int(min(Int64(partBytesMax), end - start))
            guard count > 0 else { return nil }
            let bytes = try await source.read(at: start, count: count)
            guard bytes.count == count else { throw MediaBodyError.tooShort }
            position.value = start + Int64(count)
            return ByteBuffer(bytes: bytes)
        }
    }

    private func receipt(
        in response: HTTPClientResponse, for file: Attachment
    ) throws(TransportError) -> UploadReceipt {
        try parser.requireSuccess(response, unknown: Self.sessionUnknown)
        let receipt = try parser.read(WireReceipt.self, from: response, to: .media)
        guard receipt.sha256 == file.sha256, receipt.size == file.size else {
            throw parser.foreign("the receipt of another file")
        }
        return file.receipt
    }

    private static let sessionUnknown = TransportError.refused(
        code: "sessionUnknown", detail: "the server does not have this upload any longer; it begins again")

    /// Learns the limit of a server; something else on the way may name one, too.
    private func learn(from response: HTTPClientResponse) {
        guard parser.hasProtocol(response.fields) else { return }
        if let bytes = MediaRequestBuilder.maximumSize(in: response.fields) { limit.learn(bytes) }
    }

    private func send(_ request: HTTPClientRequest) async throws(TransportError) -> HTTPClientResponse {
        do throws(HTTPClientError) {
            return try await client.send(request)
        } catch {
            throw TransportError(error, of: .media, to: client.endpoint)
        }
    }

    private func transfer(_ transfer: HTTPTransfer) async throws(TransportError) -> HTTPClientResponse {
        do throws(HTTPTransferError) {
            return try await client.transfer(transfer)
        } catch {
            switch error {
            case .connection(let error): throw TransportError(error, of: .media, to: client.endpoint)
            case .body(let error as TransportError, _): throw error
            case .body(MediaBodyError.tooLong, _): throw parser.foreign("more bytes than the file has")
            case .body(is CancellationError, _):
                throw .inDoubt(detail: "\(client.endpoint): the transfer was cancelled")
            case .body:
                throw .notSent(
                    code: "fileChanged", detail: "the attachment's file is shorter than it was; it is damaged")
            }
        }
    }
}

/// The body of a request or a response is not that of the file.
private enum MediaBodyError: Error {
    case tooShort, tooLong
}

extension Attachment {
    fileprivate var receipt: UploadReceipt { UploadReceipt(name: sha256, sha256: sha256) }
}

extension TransportError {
    /// Whether the connection was cut, or could not be made: the server has the upload as far as it came.
    fileprivate var leavesSession: Bool {
        switch self {
        case .unreachable, .inDoubt: true
        case .notSent, .transient, .serverFailed, .rateLimited, .actionRequired, .storeForked, .historyChanged,
            .refused:
            false
        }
    }
}
