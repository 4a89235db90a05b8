#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The description of a media message's file; the bytes are in the store.
///
/// The dimensions and the preview travel with the message, so that a screen can reserve the right space before the file
/// is there. All of it comes from another device and is untrusted: the name must be escaped, and a preview decoded with
/// the care that a file gets.
public struct Attachment: Sendable, Hashable {
    /// The file's name for display; untrusted text that must be escaped, and never a path.
    public var name: String
    /// The media type, `image/png`.
    public var contentType: String
    /// The size in bytes.
    public var size: Int64
    /// SHA-256 of the bytes, in lower-case hexadecimal.
    public var sha256: String
    /// The width of an image or a video as it is displayed, in pixels; `nil` if it is unknown.
    public var width: Int?
    /// The height of an image or a video as it is displayed, in pixels; `nil` if it is unknown.
    public var height: Int?
    /// The duration of audio or video in milliseconds; `nil` if it is unknown.
    public var duration: Int64?
    /// A tiny preview in a form that the application chooses, at most ``Limits/previewBytesMax`` bytes.
    public var preview: [UInt8]?

    /// Creates a description; nothing is checked before a message is created with it.
    public init(
        name: String, contentType: String, size: Int64, sha256: String, width: Int? = nil, height: Int? = nil,
        duration: Int64? = nil, preview: [UInt8]? = nil
    ) {
        self.name = name
        self.contentType = contentType
        self.size = size
        self.sha256 = sha256
        self.width = width
        self.height = height
        self.duration = duration
        self.preview = preview
    }
}

/// Coded as an object. The dimensions and the preview are optional keys that an older version ignores; a value of one
/// of them that is malformed or out of range is read as absent, so that it costs the message nothing else.
extension Attachment: Codable {
    private enum Key: String, CodingKey {
        case name, contentType, size, sha256, width, height, duration, preview
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        name = try container.decode(String.self, forKey: .name)
        contentType = try container.decode(String.self, forKey: .contentType)
        size = try container.decode(Int64.self, forKey: .size)
        sha256 = try container.decode(String.self, forKey: .sha256)
        width = Self.side(try? container.decodeIfPresent(Int.self, forKey: .width))
        height = Self.side(try? container.decodeIfPresent(Int.self, forKey: .height))
        duration = Self.duration(try? container.decodeIfPresent(Int64.self, forKey: .duration))
        preview = Self.preview(try? container.decodeIfPresent(String.self, forKey: .preview))
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(name, forKey: .name)
        try container.encode(contentType, forKey: .contentType)
        try container.encode(size, forKey: .size)
        try container.encode(sha256, forKey: .sha256)
        try container.encodeIfPresent(width, forKey: .width)
        try container.encodeIfPresent(height, forKey: .height)
        try container.encodeIfPresent(duration, forKey: .duration)
        try container.encodeIfPresent(preview.map { Data($0).base64EncodedString() }, forKey: .preview)
    }

    /// The same as ``encode(to:)`` writes.
    var json: JSONValue {
        var members: [String: JSONValue] = [
            Key.name.rawValue: .string(name), Key.contentType.rawValue: .string(contentType),
            Key.size.rawValue: .integer(size), Key.sha256.rawValue: .string(sha256),
        ]
        members[Key.width.rawValue] = width.map { .integer(Int64($0)) }
        members[Key.height.rawValue] = height.map { .integer(Int64($0)) }
        members[Key.duration.rawValue] = duration.map(JSONValue.integer)
        members[Key.preview.rawValue] = preview.map { .string(Data($0).base64EncodedString()) }
        return .object(members)
    }
}

extension Attachment {
    /// A width or height within its range; `nil` otherwise.
    package static func side(_ pixels: Int?) -> Int? {
        guard let pixels, (1...Limits.mediaSidePixelsMax).contains(pixels) else { return nil }
        return pixels
    }

    /// A duration within its range; `nil` otherwise.
    package static func duration(_ milliseconds: Int64?) -> Int64? {
        guard let milliseconds, (0...Limits.mediaMillisecondsMax).contains(milliseconds) else { return nil }
        return milliseconds
    }

    /// Base64 of 1 to ``Limits/previewBytesMax`` bytes; `nil` otherwise.
    private static func preview(_ text: String?) -> [UInt8]? {
        guard let text, text.utf8.count <= (Limits.previewBytesMax + 2) / 3 * 4,
            let bytes = Data(base64Encoded: text), (1...Limits.previewBytesMax).contains(bytes.count)
        else { return nil }
        return Array(bytes)
    }
}
