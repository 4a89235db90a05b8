internal import CausewayHubRules
internal import CausewayWire
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore

/// The problem types of resumable uploads (RFC 9457), the only errors of the hub that are not a `WireError`. They have
/// its members, too.
enum UploadProblem {
    private static let registry = "https://iana.org/assignments/http-problem-types#"

    /// The body of a problem.
    private struct Body: Encodable {
        let type: String
        let title: String
        let code: String
        let detail: String
        var expectedOffset: Int64?
        var providedOffset: Int64?

        enum CodingKeys: String, CodingKey {
            case type, title, code, detail
            case expectedOffset = "expected-offset"
            case providedOffset = "provided-offset"
        }
    }

    static func mismatchingOffset(expected: Int64, provided: Int64) -> Response {
        respond(
            .conflict,
            Body(
                type: registry + "mismatching-upload-offset",
                title: "offset from request does not match offset of resource", code: "mismatchingOffset",
                detail: "the upload continues at byte \(expected), not at \(provided)", expectedOffset: expected,
                providedOffset: provided))
    }

    static var completed: Response {
        respond(
            .badRequest,
            Body(
                type: registry + "completed-upload", title: "upload is already completed", code: "completedUpload",
                detail: "the upload is complete"))
    }

    static func inconsistentLength(_ detail: String) -> Response {
        respond(
            .badRequest,
            Body(
                type: registry + "inconsistent-upload-length", title: "inconsistent length values for upload",
                code: "inconsistentLength", detail: detail))
    }

    private static func respond(_ status: HTTPResponse.Status, _ body: Body) -> Response {
        // Texts and numbers always encode.
        var response = JSONResponse.json(status, (try? HubCoding.encode(body)) ?? [])
        response.headers[.contentType] = "application/problem+json"
        return response
    }
}

extension HubHTTPError {
    private static let insufficientStorage = HTTPResponse.Status(code: 507, reasonPhrase: "Insufficient Storage")

    /// An upload that does not exist, has expired, or belongs to another account.
    static var uploadNotFound: HubHTTPError { notFound("no such upload; begin it again", code: "uploadNotFound") }

    /// A blob that does not exist, or that the account may not read.
    static var blobNotFound: HubHTTPError { notFound("no such file", code: "blobNotFound") }

    static var hashMismatch: HubHTTPError {
        HubHTTPError(
            .badRequest, code: "hashMismatch",
            detail: "the bytes do not have the announced SHA-256; the upload was removed; begin it again")
    }

    static var uploadSuperseded: HubHTTPError {
        HubHTTPError(.conflict, code: "uploadSuperseded", detail: "a newer request for this upload ended this one")
    }

    static var diskFull: HubHTTPError {
        HubHTTPError(
            insufficientStorage, code: "storageFull", detail: "the hub's disk is full; try again later",
            headers: [.retryAfter: String(HubLimits.fullRetrySeconds)])
    }

    static func refusedUpload(_ refusal: UploadRefusal, _ limits: BlobLimits) -> HubHTTPError {
        switch refusal {
        case .fileTooLarge:
            HubHTTPError(
                .contentTooLarge, code: "fileTooLarge",
                detail: "the file is larger than \(limits.fileBytesMax) bytes",
                headers: [UploadFields.limit: UploadFields.limit(limits, seconds: limits.uploadSecondsMax, nil)])
        case .tooManyUploads:
            HubHTTPError(
                .tooManyRequests, code: "tooManyUploads",
                detail:
                    "the account has \(limits.pendingUploadsMax) uploads that are not complete; finish or cancel one",
                headers: [.retryAfter: String(HubLimits.uploadRetrySeconds)])
        case .quotaExceeded(let left):
            HubHTTPError(
                insufficientStorage, code: "quotaExceeded",
                detail:
                    "the account may store \(limits.quotaBytes) bytes of files, and \(left) are left; delete messages "
                    + "with files")
        case .diskFull: .diskFull
        }
    }
}
