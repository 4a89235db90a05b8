extension Attachment {
    /// Checks every part that is present, and that a part of a server's limit is kept: by the client when a message is
    /// created, by the server when it arrives.
    ///
    /// - Parameter fileBytesMax: the largest file that the server accepts.
    package func validate(fileBytesMax: Int64) throws(ContentProblem) {
        if size > fileBytesMax { throw .fileTooLarge(bytes: size, limit: fileBytesMax) }
        if let preview, preview.count > Limits.previewBytesMax { throw .previewTooLong(bytes: preview.count) }
        guard Self.isName(name) else { throw .attachmentInvalid(.name) }
        guard Self.isContentType(contentType) else { throw .attachmentInvalid(.contentType) }
        guard size >= 0 else { throw .attachmentInvalid(.size) }
        guard Self.isHash(sha256) else { throw .attachmentInvalid(.sha256) }
        guard width == nil || Self.side(width) != nil else { throw .attachmentInvalid(.width) }
        guard height == nil || Self.side(height) != nil else { throw .attachmentInvalid(.height) }
        guard duration == nil || Self.duration(duration) != nil else { throw .attachmentInvalid(.duration) }
        guard preview?.isEmpty != true else { throw .attachmentInvalid(.preview) }
    }

    /// The last component of a path as a name: control characters and characters that separate folders are replaced,
    /// and the end is cut where it exceeds ``Limits/fileNameBytesMax``; `file` if nothing remains.
    package static func name(ofPath path: String) -> String {
        let last = path.split(separator: "/").last ?? ""
        var name = ""
        for scalar in last.unicodeScalars {
            let next = isNameScalar(scalar) ? scalar : "_"
            guard name.utf8.count + UTF8.width(next) <= Limits.fileNameBytesMax else { break }
            name.unicodeScalars.append(next)
        }
        return isName(name) ? name : "file"
    }

    /// Whether `text` is 64 digits of lower-case hexadecimal.
    package static func isHash(_ text: String) -> Bool {
        text.utf8.count == 64
            && text.utf8.allSatisfy { digit in
                (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit)
                    || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(digit)
            }
    }

    /// Whether `text` is a type and a subtype without parameters (RFC 6838), in lower case.
    package static func isContentType(_ text: String) -> Bool {
        guard text.utf8.count <= Limits.contentTypeBytesMax else { return false }
        let parts = text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        return parts.count == 2
            && parts.allSatisfy { part in
                guard let first = part.first, isTypeLetter(first) else { return false }
                return part.allSatisfy { isTypeLetter($0) || "!#$&-^_.+".utf8.contains($0) }
            }
    }

    private static func isTypeLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }

    /// Whether `text` is a name without separators of folders and without control characters.
    private static func isName(_ text: String) -> Bool {
        (1...Limits.fileNameBytesMax).contains(text.utf8.count) && text != "." && text != ".."
            && text.unicodeScalars.allSatisfy(isNameScalar)
    }

    private static func isNameScalar(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value >= 0x20 && !(0x7F...0x9F).contains(scalar.value) && scalar != "/" && scalar != "\\"
    }
}

/// The parts of an attachment that can be invalid.
public enum AttachmentPart: String, Sendable, Hashable {
    /// The name is empty, `.` or `..`, longer than ``Limits/fileNameBytesMax``, or contains a control character or a
    /// separator of folders.
    case name
    /// The media type is not of the form `type/subtype` in lower case.
    case contentType
    /// The size is negative.
    case size
    /// The hash is not 64 digits of lower-case hexadecimal.
    case sha256
    /// The width is not 1 to ``Limits/mediaSidePixelsMax`` pixels.
    case width
    /// The height is not 1 to ``Limits/mediaSidePixelsMax`` pixels.
    case height
    /// The duration is not 0 to ``Limits/mediaMillisecondsMax`` milliseconds.
    case duration
    /// The preview is present, and empty.
    case preview
}
