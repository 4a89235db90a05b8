import CausewayMedia
import Testing

/// Descriptions of whole files, by encoders and by hand.
@Suite struct MediaInspectorTests {
    /// The descriptions that other programs give of these files.
    private static let encoded: [EncodedFile: MediaDescription] = [
        .png: MediaDescription("image/png", width: 37, height: 21),
        .gif: MediaDescription("image/gif", width: 37, height: 21),
        .jpeg: MediaDescription("image/jpeg", width: 37, height: 21),
        .jpegProgressive: MediaDescription("image/jpeg", width: 37, height: 21),
        .jpegTurned: MediaDescription("image/jpeg", width: 21, height: 37),
        .webPLossy: MediaDescription("image/webp", width: 37, height: 21),
        .webPLossless: MediaDescription("image/webp", width: 37, height: 21),
        .webPExtended: MediaDescription("image/webp", width: 37, height: 21),
        .heic: MediaDescription("image/heic", width: 37, height: 21),
        // Its EXIF data name an orientation, which readers of this format ignore.
        .heicTurned: MediaDescription("image/heic", width: 37, height: 21),
        .avif: MediaDescription("image/avif", width: 37, height: 21),
        .avifTurned: MediaDescription("image/avif", width: 21, height: 37),
        .bmp: MediaDescription("image/bmp", width: 7, height: 5),
        .tiff: MediaDescription("image/tiff"),
        .ico: MediaDescription("image/vnd.microsoft.icon"),
        .wav: MediaDescription("audio/wav", duration: 50),
        .flac: MediaDescription("audio/flac", duration: 50),
        .mp3OfVariableRate: MediaDescription("audio/mpeg", duration: 200),
        .mp3OfConstantRate: MediaDescription("audio/mpeg", duration: 396),
        .aac: MediaDescription("audio/aac"),
        .m4a: MediaDescription("audio/mp4", duration: 1000),
        .opus: MediaDescription("audio/ogg", duration: 1000),
        .mp4: MediaDescription("video/mp4", width: 48, height: 32, duration: 1000),
        // Its length is in its fragments alone.
        .mp4InFragments: MediaDescription("video/mp4", width: 48, height: 32),
        .quickTime: MediaDescription("video/quicktime", width: 48, height: 32, duration: 1000),
        .webM: MediaDescription("video/webm"),
        .matroska: MediaDescription("video/x-matroska"),
    ]

    @Test(arguments: EncodedFile.allCases) func filesOfEncoders(file: EncodedFile) throws {
        #expect(describe(file.bytes) == (try #require(Self.encoded[file])))
    }

    @Test(arguments: HandmadeFile.all) func filesMadeByHand(file: HandmadeFile) {
        #expect(describe(file.bytes) == file.expected, "\(file.name)")
    }

    @Test func anEmptyFileIsOfNoType() {
        #expect(describe([]) == MediaDescription("application/octet-stream"))
    }

    @Test func aFileThatCannotBeReadIsOfNoType() {
        #expect(MediaInspector.describe(size: .max) { _, _ in [] } == MediaDescription("application/octet-stream"))
    }

    @Test func nothingBeyondTheSizeIsRead() {
        let png = EncodedFile.png.bytes
        let found = MediaInspector.describe(size: 20) { offset, count in
            #expect(offset + Int64(count) <= 20)
            return Array(png[Int(offset)..<Int(offset) + count])
        }
        #expect(found == MediaDescription("image/png"))
    }

    @Test func moreBytesThanAskedForAreIgnored() {
        let png = EncodedFile.png.bytes
        #expect(MediaInspector.describe(size: 95) { _, _ in png + png }.width == 37)
    }
}

/// Describes a file whose bytes are in memory.
func describe(_ bytes: [UInt8]) -> MediaDescription {
    MediaInspector.describe(size: Int64(bytes.count)) { offset, count in
        let start = min(Int(clamping: offset), bytes.count)
        return Array(bytes[start..<min(start + count, bytes.count)])
    }
}
