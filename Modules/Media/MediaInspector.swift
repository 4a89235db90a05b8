/// Finds the media type of a file from its bytes, and the size and duration that its header states.
///
/// Headers are parsed, pixels and samples never are. The name of the file plays no part. The file may be anything: what
/// is damaged, cut or hostile yields less, or `application/octet-stream`, and never an error. A result describes the
/// header; it does not promise that the rest of the file is intact.
///
/// | type | found |
/// | --- | --- |
/// | PNG, GIF, WebP, BMP | width and height |
/// | JPEG | width and height after the EXIF orientation |
/// | HEIC, HEIF, AVIF | width and height of the primary image after its rotation |
/// | MP4, M4A, QuickTime, 3GPP | duration; width and height of the video track after its rotation |
/// | WAV, MP3, FLAC, Ogg (Vorbis, Opus) | duration |
/// | WebM, Matroska, AAC, TIFF, ICO, PDF, ZIP, gzip, UTF-8 text | the type alone |
///
/// Cost: one read of at most 16 KiB for most files, at most 64 reads and 256 KiB for any, no recursion; well below a
/// millisecond beside the reads.
package enum MediaInspector {
    /// Describes a file.
    ///
    /// - Parameters:
    ///   - size: the size of the file in bytes; nothing beyond it is read.
    ///   - read: returns the bytes from an offset, at most `count`; fewer, where they cannot be read, count as the end
    ///     of the file.
    package static func describe(
        size: Int64, read: @escaping (_ offset: Int64, _ count: Int) -> [UInt8]
    ) -> MediaDescription {
        var reader = BoundedReader(size: size, fetch: read)
        return image(&reader) ?? movie(&reader) ?? audio(&reader) ?? document(&reader)
            ?? MediaDescription(MediaDescription.unknownType)
    }

    private static func image(_ file: inout BoundedReader) -> MediaDescription? {
        PNGHeader.describe(&file) ?? JPEGHeader.describe(&file) ?? GIFHeader.describe(&file)
            ?? WebPHeader.describe(&file) ?? HEIFHeader.describe(&file) ?? BitmapHeader.describe(&file)
    }

    private static func movie(_ file: inout BoundedReader) -> MediaDescription? {
        MovieHeader.describe(&file) ?? matroska(&file)
    }

    private static func audio(_ file: inout BoundedReader) -> MediaDescription? {
        WAVHeader.describe(&file) ?? OggHeader.describe(&file) ?? FLACHeader.describe(&file, at: 0)
            ?? MPEGAudioHeader.describe(&file)
    }

    private static func matroska(_ file: inout BoundedReader) -> MediaDescription? {
        guard file.bigEndian(at: 0, bytes: 4) == 0x1A45_DFA3 else { return nil }
        // The type of the document is one of the few short fields of the header.
        let header = file.firstBytes.prefix(64)
        return MediaDescription(header.contains(sequence: "webm") ? "video/webm" : "video/x-matroska")
    }

    private static func document(_ file: inout BoundedReader) -> MediaDescription? {
        if file.has("%PDF-", at: 0) { return MediaDescription("application/pdf") }
        if file.has("PK\u{3}\u{4}", at: 0) || file.has("PK\u{5}\u{6}", at: 0) {
            return MediaDescription("application/zip")
        }
        if file.bigEndian(at: 0, bytes: 3) == 0x1F8B08 { return MediaDescription("application/gzip") }
        return isText(file.firstBytes, isWhole: Int64(file.firstBytes.count) == file.size)
            ? MediaDescription("text/plain") : nil
    }

    /// Whether the bytes are UTF-8 without control characters other than those that lay a text out.
    ///
    /// - Parameter isWhole: false if the last character may be cut.
    private static func isText(_ bytes: [UInt8], isWhole: Bool) -> Bool {
        guard !bytes.isEmpty else { return false }
        let controls = bytes.contains { $0 < 0x20 && !(0x09...0x0D).contains($0) || $0 == 0x7F }
        guard !controls else { return false }
        if String(validating: bytes, as: UTF8.self) != nil { return true }
        return !isWhole && (1...3).contains { String(validating: bytes.dropLast($0), as: UTF8.self) != nil }
    }
}

extension ArraySlice<UInt8> {
    /// Whether the bytes of a text are among these.
    func contains(sequence text: StaticString) -> Bool {
        let expected = Array("\(text)".utf8)
        return indices.contains { self[$0...].starts(with: expected) }
    }
}
