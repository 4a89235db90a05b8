internal import CausewayHubRules
internal import Foundation
internal import HTTPTypes

/// The header fields of resumable uploads (draft-ietf-httpbis-resumable-upload) and of digests (RFC 9530).
///
/// A field of any other form than its own is ignored, as if it were not there.
enum UploadFields {
    static let version = name("Upload-Draft-Interop-Version")
    static let complete = name("Upload-Complete")
    static let offset = name("Upload-Offset")
    static let length = name("Upload-Length")
    static let limit = name("Upload-Limit")
    static let digest = name("Repr-Digest")
    static let acceptPatch = name("Accept-Patch")

    /// The versions of the draft whose interim responses a client gets; a client that names another one gets none.
    enum Version: String {
        case six = "6"
        case eight = "8"

        /// The member of `Upload-Limit` that is the remaining lifetime of an upload.
        var ageMember: String { self == .six ? "expires" : "max-age" }
    }

    /// The media type of the content of a request that continues an upload.
    static let partialUpload = "application/partial-upload"

    private static func name(_ text: String) -> HTTPField.Name {
        guard let name = HTTPField.Name(text) else { preconditionFailure("These are names of fields.") }
        return name
    }

    // MARK: - Reading

    static func version(in fields: HTTPFields) -> Version? { item(version, fields).flatMap { Version(rawValue: $0) } }

    /// A Boolean item (RFC 9651 §3.3.6).
    static func flag(_ name: HTTPField.Name, in fields: HTTPFields) -> Bool? {
        switch item(name, fields) {
        case "?1": true
        case "?0": false
        default: nil
        }
    }

    /// An Integer item that is not negative (RFC 9651 §3.3.1): at most 15 digits.
    static func number(_ name: HTTPField.Name, in fields: HTTPFields) -> Int64? {
        guard let text = item(name, fields), (1...15).contains(text.utf8.count),
            text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
        else { return nil }
        return Int64(text)
    }

    /// The only value of a field, without its parameters.
    private static func item(_ name: HTTPField.Name, _ fields: HTTPFields) -> String? {
        let values = fields[values: name]
        guard values.count == 1, let value = values.first else { return nil }
        return value.prefix { $0 != ";" }.trimmingCharacters(in: .whitespaces)
    }

    /// The SHA-256 in `Repr-Digest`, a dictionary of byte sequences: `sha-256=:BASE64:`. Parameters are ignored.
    static func sha256(in fields: HTTPFields) -> BlobName? {
        var found: BlobName?
        for member in FieldList.split(fields[values: digest].joined(separator: ","), at: ",") {
            let item = FieldList.split(member, at: ";").first?.trimmingCharacters(in: .whitespaces) ?? ""
            let pair = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard pair.first == "sha-256" else { continue }
            // The last one counts when a key is repeated (RFC 9651 §3.2).
            found = pair.count == 2 ? byteSequence(pair[1]).flatMap { BlobName(bytes: $0) } : nil
        }
        return found
    }

    /// A Byte Sequence item (RFC 9651 §3.3.5), with or without its padding.
    private static func byteSequence(_ item: Substring) -> [UInt8]? {
        guard item.utf8.count >= 2, item.hasPrefix(":"), item.hasSuffix(":") else { return nil }
        let base64 = String(item.dropFirst().dropLast())
        let padding = String(repeating: "=", count: (4 - base64.utf8.count % 4) % 4)
        return Data(base64Encoded: base64 + padding).map { Array($0) }
    }

    // MARK: - Writing

    static func text(_ flag: Bool) -> String { flag ? "?1" : "?0" }

    static func digest(of name: BlobName) -> String { "sha-256=:\(Data(name.bytes).base64EncodedString()):" }

    /// `Upload-Limit` of an upload.
    ///
    /// - Parameter seconds: how long it can still be continued.
    static func limit(_ limits: BlobLimits, seconds: Int64, _ version: Version?) -> String {
        "max-size=\(limits.fileBytesMax), \((version ?? .eight).ageMember)=\(max(0, seconds))"
    }

    /// `Upload-Limit` for an account that has not begun an upload. The members beyond those of the draft are the hub's
    /// own.
    static func limit(_ limits: BlobLimits, _ usage: MediaUsage, _ version: Version?) -> String {
        let uploadsLeft = max(0, limits.pendingUploadsMax - usage.pendingUploads)
        return limit(limits, seconds: limits.uploadSecondsMax, version)
            + ", uploads=\(limits.pendingUploadsMax), uploads-left=\(uploadsLeft)"
            + ", quota=\(limits.quotaBytes), quota-left=\(max(0, limits.quotaBytes - usage.bytes))"
            + ", min-rate=\(limits.bytesPerSecondMin)"
    }
}
