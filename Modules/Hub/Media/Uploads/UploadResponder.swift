internal import CausewayHTTPServer
internal import CausewayHubBlobs
internal import CausewayHubRules
internal import CausewayHubStorage
internal import CausewayTLS
internal import CausewayWire
internal import HTTPTypes
internal import Hummingbird
internal import Logging
internal import NIOCore

/// The requests of resumable uploads: draft-ietf-httpbis-resumable-upload-11, interop versions 8 and 6.
///
/// An upload belongs to the account that created it; for all others it does not exist. An offset is reported only after
/// the bytes before it were synced. Each request for an upload ends the one before it (``UploadTurns``).
struct UploadResponder: Sendable {
    let files: HubFiles
    let graceSeconds: Int64
    /// The buffers of requests that transfer content.
    private let shares = ByteShares(
        totalMax: HubLimits.transfersMax * HubLimits.filePartBytes,
        perAccountMax: HubLimits.transfersPerAccountMax * HubLimits.filePartBytes,
        perPeerMax: HubLimits.transfersMax / 2 * HubLimits.filePartBytes)

    init(_ files: HubFiles, graceSeconds: Int64) {
        self.files = files
        self.graceSeconds = graceSeconds
    }

    private var storage: any HubStorage { files.storage }

    // MARK: - Limits

    /// Responds with the limits and with what the account has left of them.
    func limits(_ request: Request, _ context: HubRequestContext) async throws -> Response {
        let usage = try await storage.mediaUsage(of: try context.requireAccount().number)
        return Self.empty([
            .allow: "OPTIONS, POST", UploadFields.acceptPatch: UploadFields.partialUpload,
            UploadFields.limit: UploadFields.limit(files.limits, usage, UploadFields.version(in: request.headers)),
        ])
    }

    // MARK: - Creation

    func create(_ request: Request, _ context: HubRequestContext) async throws -> Response {
        let upload = try upload(request, try context.requireAccount())
        let content = try content(request, at: 0)
        let verdict = UploadRules.admit(content, to: .init(length: upload.size, offset: 0, isComplete: false))
        guard case .receive = verdict else {
            return Self.inconsistentLength
        }
        let isExpectant = request.headers.expectsContinue
        if content.isRest, isExpectant, let response = try await present(upload, context) { return response }
        // Before there is anything to remove again.
        let lease = try lease(context)
        defer { withExtendedLifetime(lease) {} }
        let freeBytes = try await storing { try await files.blobs.freeBytes() }
        // Before the row is stored: the client reads and encrypts its content meanwhile.
        let isAllowed = isExpectant ? try await hasRoom(for: upload, freeBytes: freeBytes) : false
        if isAllowed { allowContent(content, bytesMax: upload.size, context) }
        let location = WireProtocol.uploadPath(upload.id.text)
        // Already in its turn: an upload that is removed between its row and its part would leave the part behind.
        return try await inTurn(upload.id, context) {
            try await add(upload, freeBytes: freeBytes)
            if !isAllowed { allowContent(content, bytesMax: upload.size, context) }
            do {
                try await storing { try await files.blobs.createPart(upload.id) }
                return try await receive(upload, content, request, context, at: location)
            } catch {
                try? await files.removeIfEmpty(upload)
                throw error
            }
        }
    }

    /// The response to a client that waits to send a file, if the account can read that file already; it is the same as
    /// if the file had been sent. Otherwise this takes as long as for a file that does not exist.
    private func present(_ upload: HubUpload, _ context: HubRequestContext) async throws -> Response? {
        let requester = try context.requireAccount().requester
        guard try await storage.blob(upload.blob, for: requester, through: nil) != nil else { return nil }
        // The disk may have lost bytes.
        let file = try await storing { try await files.blobs.open(upload.blob) }
        guard file?.size == upload.size else { return nil }
        return try Self.receipt(of: upload)
    }

    /// Lets the content of a request arrive, and tells a client that waits to continue.
    private func allowContent(_ content: UploadRules.Content, bytesMax: Int64, _ context: HubRequestContext) {
        guard content.announced != 0 else { return }
        context.channel.triggerUserOutboundEvent(
            StreamedBody(
                bytesMax: bytesMax + Int64(HubLimits.discardedBytesMax),
                bytesPerSecondMin: files.limits.bytesPerSecondMin,
                graceSeconds: graceSeconds), promise: nil)
    }

    /// The buffers of a request that transfers content.
    private func lease(_ context: HubRequestContext) throws -> ByteLease {
        let lease = ByteLease(shares, for: try context.requireOwner())
        try lease.add(HubLimits.filePartBytes)
        return lease
    }

    /// Whether an upload has room without the removal of others, as far as is known before its row is stored.
    ///
    /// - Throws: the refusal, if no removal helps.
    private func hasRoom(for upload: HubUpload, freeBytes: Int64) async throws -> Bool {
        let limits = files.limits
        let usage = try await storage.mediaUsage(of: upload.account)
        guard let refusal = limits.refusal(ofFile: upload.size, usage, freeBytes: freeBytes) else { return true }
        guard limits.isEased(refusal, ofFile: upload.size, usage) else {
            throw HubHTTPError.refusedUpload(refusal, limits)
        }
        return false
    }

    /// Stores the row of a new upload. If the account has too many others, those that are idle make room.
    private func add(_ upload: HubUpload, freeBytes: Int64) async throws {
        let limits = files.limits
        while true {
            let refused = try await storage.addUpload(upload) { usage in
                limits.refusal(ofFile: upload.size, usage, freeBytes: freeBytes).map { refusal in
                    (refusal, isEased: limits.isEased(refusal, ofFile: upload.size, usage))
                }
            }
            guard let (refusal, isEased) = refused else { return }
            // Each turn removes one upload.
            guard isEased, try await storing({ try await files.removeIdleUpload(of: upload.account) }) else {
                throw HubHTTPError.refusedUpload(refusal, limits)
            }
        }
    }

    private func upload(_ request: Request, _ account: HubAccount) throws -> HubUpload {
        let fields = request.headers
        guard let blob = UploadFields.sha256(in: fields) else {
            throw HubHTTPError(
                .badRequest, code: "digestMissing",
                detail: "an upload needs the SHA-256 of the file in the field Repr-Digest, as in sha-256=:BASE64:")
        }
        let isRest = UploadFields.flag(UploadFields.complete, in: fields) ?? false
        guard
            let size = UploadFields.number(UploadFields.length, in: fields)
                ?? (isRest ? Self.announced(request) : nil)
        else {
            throw HubHTTPError(
                .badRequest, code: "lengthMissing",
                detail: "an upload needs the size of the file in the field Upload-Length")
        }
        let type = fields[.contentType] ?? InlineMediaType.bytes
        guard type.utf8.count <= HubLimits.mediaTypeBytesMax else {
            throw HubHTTPError(.badRequest, code: "contentTypeInvalid", detail: "the content type is too long")
        }
        guard let id = UploadID(bytes: SecureRandom.bytes(UploadID.bytesCount)) else { throw HubHTTPError.busy }
        return HubUpload(
            id: id, account: account.number, blob: blob, size: size, type: type, createdAt: SystemClock.now())
    }

    // MARK: - Continuation

    func state(_ request: Request, _ context: HubRequestContext) async throws -> Response {
        let id = try await find(context).id
        return try await files.uploads.run(id) {
            let (upload, offset) = try await present(context)
            var response = Self.empty(
                fields(upload, offset: offset, UploadFields.version(in: request.headers)))
            if upload.completedAt != nil {
                response.headers[UploadFields.digest] = UploadFields.digest(of: upload.blob)
            }
            return response
        }
    }

    func append(_ request: Request, _ context: HubRequestContext) async throws -> Response {
        let type = request.headers[.contentType]?.prefix { $0 != ";" }.lowercased() ?? ""
        guard type.filter({ $0 != " " }) == UploadFields.partialUpload else {
            throw HubHTTPError(
                .unsupportedMediaType, code: "contentTypeUnsupported",
                detail: "an upload is continued with the content type \(UploadFields.partialUpload)",
                headers: [UploadFields.acceptPatch: UploadFields.partialUpload])
        }
        guard let start = UploadFields.number(UploadFields.offset, in: request.headers) else {
            throw HubHTTPError(
                .badRequest, code: "offsetMissing",
                detail: "an upload is continued at the byte in the field Upload-Offset")
        }
        let content = try content(request, at: start)
        let id = try await find(context).id
        return try await inTurn(id, context) {
            let (upload, offset) = try await present(context)
            let state = UploadRules.State(
                length: upload.size, offset: offset, isComplete: upload.completedAt != nil)
            let refusal: Response
            switch UploadRules.admit(content, to: state) {
            case .receive:
                let lease = try lease(context)
                defer { withExtendedLifetime(lease) {} }
                allowContent(content, bytesMax: upload.size - offset, context)
                return try await receive(upload, content, request, context, at: nil)
            case .mismatchingOffset(let expected, let provided):
                refusal = UploadProblem.mismatchingOffset(expected: expected, provided: provided)
            case .completed: refusal = UploadProblem.completed
            case .inconsistentLength: refusal = Self.inconsistentLength
            }
            return adding(fields(upload, offset: offset, UploadFields.version(in: request.headers)), to: refusal)
        }
    }

    func cancel(_ context: HubRequestContext) async throws -> Response {
        let upload = try await find(context)
        return try await files.uploads.run(upload.id) {
            try await storing { try await files.remove(upload) }
            return Self.empty([:])
        }
    }

    // MARK: - Content

    /// - Parameter location: the path of an upload that the request creates.
    private func receive(
        _ upload: HubUpload, _ content: UploadRules.Content, _ request: Request, _ context: HubRequestContext,
        at location: String?
    ) async throws -> Response {
        let version = UploadFields.version(in: request.headers)
        guard let part = try await storing({ try await files.blobs.openPart(upload.id) }) else {
            throw HubHTTPError.uploadNotFound
        }
        let start = UploadRules.State(length: upload.size, offset: part.length, isComplete: false)
        let interim = InterimResponses(
            version, on: context.channel, location: location,
            limit: UploadFields.limit(files.limits, seconds: files.limits.uploadSecondsMax, version))
        let missing = start.length - start.offset
        let outcome: UploadReceiver.Outcome
        do {
            if content.announced != 0 { interim.announce() }
            outcome = try await storing {
                try await UploadReceiver(part: part, rest: content.isRest ? missing : nil) { interim.report($0) }
                    .receive(request.body, atMost: missing)
            }
        } catch {
            await part.close()
            throw error
        }
        guard case .ended(let received) = outcome else {
            await part.close()
            try await storing { try await files.remove(upload) }
            return Self.inconsistentLength
        }
        switch UploadRules.end(of: content, received: received, start) {
        case .verify: return try await complete(upload, part, context, version, location)
        case .incomplete, .short:
            await part.close()
            if location != nil, let announced = content.announced, received < announced, part.length == 0 {
                // Cut before anything arrived: a client that knows this upload begins again. One that does not would
                // leave it behind.
                try await storing { try await files.remove(upload) }
                return Self.inconsistentLength
            }
            var response =
                content.isRest
                ? Self.inconsistentLength : location == nil ? Self.empty([:]) : Response(status: .created)
            response.headers[.location] = location
            return adding(fields(upload, offset: part.length, version), to: response)
        }
    }

    private func complete(
        _ upload: HubUpload, _ part: any BlobPart, _ context: HubRequestContext, _ version: UploadFields.Version?,
        _ location: String?
    ) async throws -> Response {
        // A transfer may take long: the account may have been removed meanwhile.
        let digest = context.tokenDigest ?? []
        guard let account = try await storage.account(tokenDigest: digest), account.number == upload.account else {
            await part.close()
            throw HubHTTPError.tokenRefused
        }
        do {
            try await storing { try await files.complete(upload, part) }
        } catch {
            await part.close()
            guard var mismatch = error as? HubHTTPError, mismatch.body.code == HubHTTPError.hashMismatch.body.code
            else {
                throw error
            }
            try await storing { try await files.remove(upload) }
            // The content was received: the upload cannot be continued.
            mismatch.headers[UploadFields.complete] = UploadFields.text(true)
            throw mismatch
        }
        let metadata = try context.who(["bytes": "\(upload.size)"])
        context.logger.debug("file stored", metadata: metadata)
        var response = try Self.receipt(of: upload)
        response.headers[.location] = location
        return response
    }

    private static func receipt(of upload: HubUpload) throws -> Response {
        var response = try JSONResponse.json(WireReceipt(sha256: upload.blob.text, size: upload.size))
        response.headers[UploadFields.complete] = UploadFields.text(true)
        response.headers[UploadFields.offset] = String(upload.size)
        return response
    }

    // MARK: - Uploads

    /// Runs a request that can be ended by a newer one: its connection is closed then.
    private func inTurn(
        _ id: UploadID, _ context: HubRequestContext, _ body: () async throws -> Response
    ) async throws -> Response {
        let channel = context.channel
        return try await files.uploads.run(id, stop: { channel.close(promise: nil) }, body)
    }

    /// - Throws: 404 for an upload that does not exist for the account.
    private func find(_ context: HubRequestContext) async throws -> HubUpload {
        let account = try context.requireAccount()
        guard let id = UploadID(try context.parameters.require("upload")),
            let upload = try await storage.upload(id), upload.account == account.number,
            !files.isExpired(upload, at: SystemClock.now())
        else { throw HubHTTPError.uploadNotFound }
        return upload
    }

    /// The upload and its durable offset; called in turn.
    private func present(_ context: HubRequestContext) async throws -> (upload: HubUpload, offset: Int64) {
        let upload = try await find(context)
        guard upload.completedAt == nil else { return (upload, upload.size) }
        guard let part = try await storing({ try await files.blobs.openPart(upload.id) }) else {
            // Its bytes are lost.
            try await storing { try await files.remove(upload) }
            throw HubHTTPError.uploadNotFound
        }
        let offset = part.length
        await part.close()
        return (upload, offset)
    }

    private func content(_ request: Request, at offset: Int64) throws -> UploadRules.Content {
        guard let isRest = UploadFields.flag(UploadFields.complete, in: request.headers) else {
            throw HubHTTPError(
                .badRequest, code: "completenessMissing",
                detail: "an upload needs the field Upload-Complete: ?1 with the rest of the file, else ?0")
        }
        return UploadRules.Content(
            offset: offset, isRest: isRest, announced: Self.announced(request),
            length: UploadFields.number(UploadFields.length, in: request.headers))
    }

    /// Bytes of the content; `nil` if it is sent in chunks.
    private static func announced(_ request: Request) -> Int64? {
        if let length = request.headers[.contentLength] { return Int64(length) }
        return request.headers[.transferEncoding] == nil ? 0 : nil
    }

    // MARK: - Responses

    private func fields(
        _ upload: HubUpload, offset: Int64, _ version: UploadFields.Version?
    ) -> HTTPFields {
        let seconds = files.secondsLeft(of: upload, at: SystemClock.now())
        return [
            UploadFields.offset: String(offset), UploadFields.length: String(upload.size),
            UploadFields.complete: UploadFields.text(upload.completedAt != nil),
            UploadFields.limit: UploadFields.limit(files.limits, seconds: seconds, version),
        ]
    }

    private func adding(_ fields: HTTPFields, to response: Response) -> Response {
        var response = response
        for field in fields { response.headers[field.name] = field.value }
        response.headers[.cacheControl] = "no-store"
        return response
    }

    private static func empty(_ fields: HTTPFields) -> Response {
        var response = Response(status: .noContent, headers: fields)
        response.headers[.contentLength] = nil
        response.headers[.cacheControl] = "no-store"
        return response
    }

    private static var inconsistentLength: Response {
        UploadProblem.inconsistentLength(
            "the content does not have the length that the request or the upload announces")
    }

    /// Turns errors of the storage of blobs into responses.
    private func storing<Value>(_ body: () async throws -> Value) async throws -> Value {
        do {
            return try await body()
        } catch let error as BlobStorageError {
            switch error {
            case .full: throw HubHTTPError.diskFull
            case .mismatch: throw HubHTTPError.hashMismatch
            case .io(let path, let detail):
                throw HubStorageError.io(path: path, detail: detail)
            }
        }
    }
}
