/// The media types that a browser may show by itself: images, audio and video whose content begins as the type demands.
///
/// Everything else is stored and served as bytes to be saved, whatever type was declared for it: above all documents
/// that can contain scripts (HTML, SVG, XML, PDF).
package enum InlineMediaType: String, Sendable, CaseIterable {
    case png = "image/png"
    case jpeg = "image/jpeg"
    case gif = "image/gif"
    case webp = "image/webp"
    case avif = "image/avif"
    case heic = "image/heic"
    case mp4Video = "video/mp4"
    case webm = "video/webm"
    case oggVideo = "video/ogg"
    case mp4Audio = "audio/mp4"
    case mpeg = "audio/mpeg"
    case oggAudio = "audio/ogg"
    case wave = "audio/wav"

    /// The type of a file of any other kind.
    package static let bytes = "application/octet-stream"

    /// Bytes from the beginning of a file that decide about its type.
    package static let headBytes = 64

    /// Returns the type that a file is served with, ``bytes`` if its content begins like none of these.
    ///
    /// It depends on the content alone: the type of a file that several accounts have uploaded reveals nothing about
    /// the others. Where one beginning has several types it is that of the video, which plays a file with sound only,
    /// too.
    ///
    /// - Parameter head: the first bytes of the file, ``headBytes`` if it has as many.
    package static func served(head: [UInt8]) -> String { allCases.first { $0.matches(head) }?.rawValue ?? bytes }

    /// Whether a stored type is one that a browser may show.
    package static func isInline(_ type: String) -> Bool { InlineMediaType(rawValue: type) != nil }

    private func matches(_ head: [UInt8]) -> Bool {
        switch self {
        case .png: Self.has([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A], at: 0, head)
        case .jpeg: Self.has([0xFF, 0xD8, 0xFF], at: 0, head)
        case .gif: Self.has("GIF87a", at: 0, head) || Self.has("GIF89a", at: 0, head)
        case .webp: Self.has("RIFF", at: 0, head) && Self.has("WEBP", at: 8, head)
        case .wave: Self.has("RIFF", at: 0, head) && Self.has("WAVE", at: 8, head)
        case .avif: Self.hasBrand(["avif", "avis"], head)
        case .heic: Self.hasBrand(["heic", "heix", "hevc", "mif1", "msf1", "heim", "heis"], head)
        case .mp4Video:
            Self.hasBrand(["isom", "iso2", "iso4", "iso5", "iso6", "mp41", "mp42", "avc1", "M4V ", "dash"], head)
        case .mp4Audio: Self.hasBrand(["M4A ", "M4B ", "isom", "iso2", "iso5", "iso6", "mp41", "mp42", "dash"], head)
        case .webm: Self.has([0x1A, 0x45, 0xDF, 0xA3], at: 0, head)
        case .oggVideo, .oggAudio: Self.has("OggS", at: 0, head)
        case .mpeg: Self.has("ID3", at: 0, head) || Self.isAudioFrame(head)
        }
    }

    /// The major brand of an ISO base media file.
    private static func hasBrand(_ brands: [String], _ head: [UInt8]) -> Bool {
        has("ftyp", at: 4, head) && brands.contains { has($0, at: 8, head) }
    }

    /// The header of a frame of MPEG audio, layer III, without reserved values.
    private static func isAudioFrame(_ head: [UInt8]) -> Bool {
        guard head.count >= 4 else { return false }
        return head[0] == 0xFF && head[1] & 0xE6 == 0xE2 && head[1] & 0x18 != 0x08 && head[2] & 0xF0 != 0xF0
            && head[2] & 0x0C != 0x0C
    }

    private static func has(_ text: String, at offset: Int, _ head: [UInt8]) -> Bool {
        has(Array(text.utf8), at: offset, head)
    }

    private static func has(_ bytes: [UInt8], at offset: Int, _ head: [UInt8]) -> Bool {
        head.count >= offset + bytes.count && Array(head[offset..<offset + bytes.count]) == bytes
    }
}
