import CausewayHTTP
import CausewayModels
import CausewayTransport
import CausewayWire
import HTTPTypes
import NIOCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The header fields of resumable uploads and of digests (RFC 9530).
enum MediaFields {
    static let version = name("Upload-Draft-Interop-Version")
    static let complete = name("Upload-Complete")
    static let offset = name("Upload-Offset")
    static let length = name("Upload-Length")
    static let limit = name("Upload-Limit")
    static let digest = name("Repr-Digest")

    /// The version of the draft that this client uses.
    static let interopVersion = "8"
    static let partialUpload = "application/partial-upload"

    private static func name(_ text: String) -> HTTPField.Name {
        guard let name = HTTPField.Name(text) else { preconditionFailure("These are names of fields.") }
        return name
    }
}

/// Builds the requests for uploads and files, and reads the fields of their responses.
///
/// The server names an upload by a URL; of it only the last component is kept, and only if it is an upload's name. So
/// no response can send the token elsewhere, and a server may be moved below another path.
struct MediaRequestBuilder: Sendable {
    private let fields: HTTPFields

    init(token: AccessToken, userAgent: String) {
        var fields: HTTPFields = [:]
        fields[.authorization] = "Bearer \(token.text)"
        fields[.userAgent] = userAgent
        self.fields = fields
    }

    // MARK: - Requests

    func blobHead(_ sha256: String) -> HTTPClientRequest {
        HTTPClientRequest(method: .head, path: WireProtocol.blobPath(sha256), fields: fields)
    }

    /// - Parameter offset: the first byte; the range is void if the file is another one.
    func blob(_ sha256: String, from offset: Int64) -> HTTPClientRequest {
        var fields = fields
        if offset > 0 {
            fields[.range] = "bytes=\(offset)-"
            fields[.ifRange] = "\"\(sha256)\""
        }
        return HTTPClientRequest(method: .get, path: WireProtocol.blobPath(sha256), fields: fields)
    }

    /// - Parameter isComplete: whether the whole file is the request's body; else the body is empty.
    func create(_ file: Attachment, _ digest: String, isComplete: Bool) -> HTTPClientRequest {
        var fields = uploadFields(isComplete: isComplete)
        fields[MediaFields.length] = String(file.size)
        fields[MediaFields.digest] = digest
        fields[.contentType] = file.contentType
        return HTTPClientRequest(
            method: .post, path: WireProtocol.uploadsPath, fields: fields,
            serverWait: Self.verification(of: isComplete ? file.size : 0))
    }

    func append(to session: UploadSession, at offset: Int64) throws(TransportError) -> HTTPClientRequest {
        var fields = uploadFields(isComplete: true)
        fields[MediaFields.offset] = String(offset)
        fields[.contentType] = MediaFields.partialUpload
        return HTTPClientRequest(
            method: .patch, path: try path(of: session), fields: fields,
            serverWait: Self.verification(of: session.file.size))
    }

    func uploadHead(_ session: UploadSession) throws(TransportError) -> HTTPClientRequest {
        var fields = fields
        fields[MediaFields.version] = MediaFields.interopVersion
        return HTTPClientRequest(method: .head, path: try path(of: session), fields: fields)
    }

    func delete(_ session: UploadSession) throws(TransportError) -> HTTPClientRequest {
        var fields = fields
        fields[MediaFields.version] = MediaFields.interopVersion
        return HTTPClientRequest(method: .delete, path: try path(of: session), fields: fields)
    }

    private func uploadFields(isComplete: Bool) -> HTTPFields {
        var fields = fields
        fields[.accept] = "application/json"
        fields[MediaFields.version] = MediaFields.interopVersion
        fields[MediaFields.complete] = isComplete ? "?1" : "?0"
        return fields
    }

    /// The time in which a server reads a whole file once more to verify it.
    private static func verification(of bytes: Int64) -> Duration {
        .seconds(bytes / HTTPTransportLimits.verifiedBytesPerSecond)
    }

    private func path(of session: UploadSession) throws(TransportError) -> String {
        guard let name = Self.uploadName(session.location) else {
            throw .refused(code: "sessionUnknown", detail: "the stored name of the upload is invalid; it begins again")
        }
        return WireProtocol.uploadPath(name)
    }

    // MARK: - Fields

    /// `Repr-Digest` of a file; `nil` if `sha256` is not 64 digits of hexadecimal.
    static func digest(_ sha256: String) -> String? {
        guard Attachment.isHash(sha256), let bytes = Hexadecimal.bytes(of: sha256) else { return nil }
        return "sha-256=:\(Data(bytes).base64EncodedString()):"
    }

    /// Whether an interim response is about a resumable upload of this version of the draft; all others are ignored.
    static func isAboutUpload(_ interim: HTTPInterimResponse) -> Bool {
        interim.status == 104 && interim.fields[values: MediaFields.version] == [MediaFields.interopVersion]
    }

    /// The path of an upload in `Location`.
    static func location(in fields: HTTPFields) -> String? {
        let values = fields[values: .location]
        guard values.count == 1 else { return nil }
        return uploadName(values[0]).map(WireProtocol.uploadPath)
    }

    /// The last component of a location below the path of uploads.
    private static func uploadName(_ location: String) -> String? {
        guard location.utf8.count <= HTTPTransportLimits.locationBytesMax else { return nil }
        let parts = location.split(separator: "/", omittingEmptySubsequences: false)
        guard let name = parts.last, (1...HTTPTransportLimits.uploadNameBytesMax).contains(name.utf8.count),
            parts.dropLast().joined(separator: "/").hasSuffix(WireProtocol.uploadsPath),
            name.utf8.allSatisfy(isNameByte)
        else { return nil }
        return String(name)
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }

    /// An Integer item that is not negative (RFC 9651 §3.3.1): at most 15 digits.
    static func number(_ name: HTTPField.Name, in fields: HTTPFields) -> Int64? {
        let values = fields[values: name]
        return values.count == 1 ? number(values[0].prefix { $0 != ";" }) : nil
    }

    /// The largest file that a server accepts, in `Upload-Limit`.
    static func maximumSize(in fields: HTTPFields) -> Int64? {
        for member in fields[values: MediaFields.limit].joined(separator: ",").split(separator: ",") {
            let text = member.drop { $0 == " " }
            if text.hasPrefix("max-size=") { return number(text.dropFirst("max-size=".count).prefix { $0 != ";" }) }
        }
        return nil
    }

    private static func number(_ text: Substring) -> Int64? {
        guard (1...15).contains(text.utf8.count),
            text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
        else { return nil }
        return Int64(text)
    }
}

/// `Content-Range` of a part of a file (RFC 9110 §14.4).
struct ContentRange {
    let first: Int64

    init?(_ fields: HTTPFields) {
        let values = fields[values: .contentRange]
        guard values.count == 1, values[0].lowercased().hasPrefix("bytes "),
            let first = Int64(values[0].dropFirst("bytes ".count).prefix { $0 != "-" }), first >= 0
        else { return nil }
        self.first = first
    }
}

/// A problem of an upload (RFC 9457) in the body of a response.
struct MediaProblem {
    private struct Body: Decodable {
        var type: String?
        var expectedOffset: Int64?

        enum CodingKeys: String, CodingKey {
            case type
            case expectedOffset = "expected-offset"
        }
    }

    private let body: Body

    /// `nil` for a response that is successful, or has no such body.
    init?(_ response: HTTPClientResponse) {
        guard response.status.kind == .clientError,
            let body = try? JSONCoding.decode(
                Body.self, from: Array(response.body.readableBytesView),
                valuesMax: HTTPTransportLimits.problemValuesMax)
        else { return nil }
        self.body = body
    }

    /// The byte at which the upload continues.
    var expectedOffset: Int64? { body.expectedOffset }
    var isCompleted: Bool { body.type?.hasSuffix("#completed-upload") == true }
}
