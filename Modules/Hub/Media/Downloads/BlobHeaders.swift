internal import CausewayHubRules
internal import CausewayHubStorage
internal import CausewayModels
internal import HTTPTypes

/// The header fields of a file that users have uploaded: whatever it contains, a browser runs nothing of it.
///
/// - The type is one that the hub has checked, or bytes without a type (`InlineMediaType`); `nosniff` keeps a browser
///   from guessing another one.
/// - A file that a browser should not show itself is an attachment, to be saved.
/// - The policy takes scripts, forms, plug-ins and the origin from a file that is opened as a page, and lets it load
///   nothing.
/// - Other sites cannot embed it, and learn nothing from a link in it.
enum BlobHeaders {
    private static let disposition = name("Content-Disposition")
    private static let policy = name("Content-Security-Policy")
    private static let sharing = name("Cross-Origin-Resource-Policy")
    private static let referrer = name("Referrer-Policy")
    private static let options = name("X-Content-Type-Options")

    private static func name(_ text: String) -> HTTPField.Name {
        guard let name = HTTPField.Name(text) else { preconditionFailure("These are names of fields.") }
        return name
    }

    static func fields(_ readable: ReadableBlob) -> HTTPFields {
        let blob = readable.blob
        let kind = InlineMediaType.isInline(blob.type) ? "inline" : "attachment"
        let fileName = readable.fileName.map { "; filename*=UTF-8''\(encoded($0))" } ?? ""
        return [
            .contentType: blob.type, disposition: kind + fileName, options: "nosniff",
            policy: "sandbox; default-src 'none'", sharing: "same-origin", referrer: "no-referrer",
            .acceptRanges: "bytes", .eTag: tag(of: blob.name),
            .cacheControl: "private, immutable, max-age=\(HubLimits.blobCacheSeconds)",
        ]
    }

    /// The entity tag: the bytes under a name never change.
    static func tag(of name: BlobName) -> String { "\"\(name.text)\"" }

    /// Whether a list of entity tags (`If-None-Match`) contains that of a blob, weak or strong.
    static func contains(_ list: String, _ name: BlobName) -> Bool {
        list.split(separator: ",").contains { member in
            let tag = member.drop { $0 == " " || $0 == "\t" }.prefix { $0 != " " && $0 != "\t" }
            return tag == "*" || (tag.hasPrefix("W/") ? tag.dropFirst(2) : tag) == Self.tag(of: name)
        }
    }

    /// A name for `filename*` (RFC 8187): every byte that is not an attribute character is percent-encoded, and
    /// separators of paths and control characters are left out.
    private static func encoded(_ name: String) -> String {
        var text = ""
        for scalar in name.unicodeScalars.prefix(HubLimits.fileNameCharactersMax) {
            guard scalar != "/", scalar != "\\", scalar.value >= 0x20, !(0x7F...0x9F).contains(scalar.value) else {
                continue
            }
            for byte in String(scalar).utf8 {
                text += isAttributeCharacter(byte) ? String(UnicodeScalar(byte)) : "%" + Hexadecimal.text(of: [byte])
            }
        }
        return text
    }

    private static func isAttributeCharacter(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "!#$&+-.^_`|~".utf8.contains(byte)
        }
    }
}
