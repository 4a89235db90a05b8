import CausewayMedia
import Testing

/// A file that shows one case of a format, with the description that its header states.
struct HandmadeFile: Sendable, CustomTestStringConvertible {
    let name: String
    let bytes: [UInt8]
    let expected: MediaDescription

    var testDescription: String { name }

    init(_ name: String, _ bytes: [UInt8], _ expected: MediaDescription) {
        self.name = name
        self.bytes = bytes
        self.expected = expected
    }

    static let all = images + movies + audio + documents
}

// MARK: - Bytes

/// The bytes of a text.
func text(_ text: String) -> [UInt8] { Array(text.utf8) }

/// A number of some bytes, the most significant one first.
func big(_ number: UInt64, _ count: Int) -> [UInt8] {
    (0..<count).reversed().map { UInt8(truncatingIfNeeded: number >> (8 * UInt64($0))) }
}

/// A number of some bytes, the least significant one first.
func little(_ number: UInt64, _ count: Int) -> [UInt8] { big(number, count).reversed() }

func zeros(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count) }

/// A box of the ISO base media file format.
func box(_ type: String, _ content: [UInt8]...) -> [UInt8] {
    let content = content.flatMap(\.self)
    return big(UInt64(content.count + 8), 4) + text(type) + content
}

/// A segment of a JPEG file.
func segment(_ marker: UInt8, _ data: [UInt8]) -> [UInt8] { [0xFF, marker] + big(UInt64(data.count + 2), 2) + data }

/// A chunk of a RIFF file.
func chunk(_ type: String, _ data: [UInt8]) -> [UInt8] { text(type) + little(UInt64(data.count), 4) + data }

// MARK: - Images

extension HandmadeFile {
    private static let frame = segment(0xC0, [8] + big(30, 2) + big(40, 2) + [1, 1, 0x11, 0])

    private static func exif(_ orientation: UInt64, isLittle: Bool) -> [UInt8] {
        func number(_ value: UInt64, _ count: Int) -> [UInt8] { isLittle ? little(value, count) : big(value, count) }
        let other = number(0x010F, 2) + number(2, 2) + number(1, 4) + zeros(4)
        let entry = number(0x0112, 2) + number(3, 2) + number(1, 4) + number(orientation, 2) + zeros(2)
        return segment(
            0xE1,
            text("Exif\0\0") + text(isLittle ? "II" : "MM") + number(42, 2) + number(8, 4) + number(2, 2) + other
                + entry)
    }

    private static func heif(_ brand: String, others: [String] = [], meta: [UInt8]) -> [UInt8] {
        box("ftyp", text(brand), zeros(4), others.flatMap(text)) + box("meta", zeros(4), meta)
    }

    /// Item 2 has the size of the second `ispe`, and the last property; item 1 the first one.
    private static func properties(_ last: [UInt8], isWide: Bool) -> [UInt8] {
        let list = box(
            "ipco", box("ispe", zeros(4), big(1, 4), big(1, 4)), box("ispe", zeros(4), big(40, 4), big(30, 4)), last)
        func index(_ number: UInt64) -> [UInt8] { isWide ? big(number | 0x8000, 2) : big(number | 0x80, 1) }
        let head = isWide ? big(0x0100_0001, 4) : zeros(4)
        func item(_ number: UInt64) -> [UInt8] { big(number, isWide ? 4 : 2) }
        return box(
            "iprp", list, box("ipma", head, big(2, 4), item(1), [1], index(1), item(2), [2], index(2), index(3)))
    }

    static let images: [HandmadeFile] = [
        HandmadeFile(
            "JPEG with fill bytes, a restart marker and a comment",
            [0xFF, 0xD8, 0xFF, 0xFF, 0xD0] + segment(0xFE, zeros(20_000)) + frame,
            MediaDescription("image/jpeg", width: 40, height: 30)),
        HandmadeFile(
            "JPEG, orientation 6", [0xFF, 0xD8] + exif(6, isLittle: true) + frame,
            MediaDescription("image/jpeg", width: 30, height: 40)),
        HandmadeFile(
            "JPEG, orientation 8, big-endian", [0xFF, 0xD8] + exif(8, isLittle: false) + frame,
            MediaDescription("image/jpeg", width: 30, height: 40)),
        HandmadeFile(
            "JPEG, orientation 3", [0xFF, 0xD8] + exif(3, isLittle: true) + frame,
            MediaDescription("image/jpeg", width: 40, height: 30)),
        HandmadeFile(
            "JPEG, invalid orientation", [0xFF, 0xD8] + exif(9, isLittle: true) + frame,
            MediaDescription("image/jpeg", width: 40, height: 30)),
        HandmadeFile(
            "JPEG whose Huffman table stands first", [0xFF, 0xD8] + segment(0xC4, zeros(9)) + frame,
            MediaDescription("image/jpeg", width: 40, height: 30)),
        HandmadeFile(
            "JPEG without a frame", [0xFF, 0xD8] + segment(0xDA, zeros(9)) + frame, MediaDescription("image/jpeg")),
        HandmadeFile(
            "JPEG whose height comes later",
            [0xFF, 0xD8] + segment(0xC0, [8] + big(0, 2) + big(40, 2) + [1, 1, 0x11, 0]),
            MediaDescription("image/jpeg")),
        HandmadeFile(
            "JPEG behind 30 long segments",
            [0xFF, 0xD8] + (0..<30).flatMap { _ in segment(0xE2, zeros(65_533)) } + frame,
            MediaDescription("image/jpeg", width: 40, height: 30)),
        HandmadeFile(
            "PNG larger than any screen",
            big(0x8950_4E47_0D0A_1A0A, 8) + big(13, 4) + text("IHDR") + big(1 << 30, 4)
                + big(5, 4), MediaDescription("image/png")),
        HandmadeFile(
            "bitmap stored from the top",
            text("BM") + zeros(12) + little(40, 4) + little(9, 4)
                + little(UInt64(UInt32(bitPattern: -8)), 4), MediaDescription("image/bmp", width: 9, height: 8)),
        HandmadeFile(
            "HEIF of a general brand", heif("mif1", others: ["heic"], meta: []), MediaDescription("image/heic")),
        HandmadeFile(
            "HEIC, rotated",
            heif("heic", meta: box("pitm", zeros(4), big(2, 2)) + properties(box("irot", [3]), isWide: false)),
            MediaDescription("image/heic", width: 30, height: 40)),
        HandmadeFile(
            "AVIF of many items, upside down",
            heif("avif", meta: box("pitm", [1, 0, 0, 0], big(2, 4)) + properties(box("irot", [2]), isWide: true)),
            MediaDescription("image/avif", width: 40, height: 30)),
        HandmadeFile(
            "AVIF, cropped by nothing",
            heif("avif", meta: box("pitm", zeros(4), big(2, 2)) + properties(box("clap", zeros(32)), isWide: false)),
            MediaDescription("image/avif", width: 40, height: 30)),
        HandmadeFile(
            "AVIF without properties of its primary item",
            heif("avif", meta: box("pitm", zeros(4), big(7, 2)) + properties(box("irot", [1]), isWide: false)),
            MediaDescription("image/avif")),
    ]
}

// MARK: - Movies

extension HandmadeFile {
    private static func header(_ type: String, clock: UInt64, units: UInt64, isLong: Bool = false) -> [UInt8] {
        isLong
            ? box(type, [1, 0, 0, 0], zeros(16), big(clock, 4), big(units, 8))
            : box(type, zeros(12), big(clock, 4), big(units, 4))
    }

    private static func track(
        _ handler: String, width: UInt64 = 0, height: UInt64 = 0, isTurned: Bool = false
    ) -> [UInt8] {
        let one = big(0x1_0000, 4)
        let matrix = isTurned ? zeros(4) + one + zeros(4) + one + zeros(20) : one + zeros(12) + one + zeros(16)
        return box(
            "trak", box("tkhd", zeros(40), matrix, big(width << 16, 4), big(height << 16, 4)),
            box("mdia", header("mdhd", clock: 100, units: 250), box("hdlr", zeros(8), text(handler), zeros(12))))
    }

    private static func movie(_ brand: String, _ content: [UInt8]...) -> [UInt8] {
        // The samples first, with a length in 64 bits: the header is at the end of the file.
        box("ftyp", text(brand), zeros(4)) + big(1, 4) + text("mdat") + big(40_016, 8) + zeros(40_000)
            + box("moov", content.flatMap(\.self))
    }

    static let movies: [HandmadeFile] = [
        HandmadeFile(
            "MP4 of a telephone held upright",
            movie("isom", header("mvhd", clock: 600, units: 900), track("vide", width: 64, height: 48, isTurned: true)),
            MediaDescription("video/mp4", width: 48, height: 64, duration: 1500)),
        HandmadeFile(
            "MP4 without video", movie("mp42", header("mvhd", clock: 600, units: 900), track("soun")),
            MediaDescription("audio/mp4", duration: 1500)),
        HandmadeFile(
            "MP4 with long times",
            movie("mp42", header("mvhd", clock: 1000, units: 1 << 33, isLong: true), track("vide")),
            MediaDescription("video/mp4", duration: 1 << 33)),
        // A thousand times this number is 384 beyond the largest one.
        HandmadeFile(
            "MP4 whose milliseconds overflow",
            movie("mp42", header("mvhd", clock: 1, units: 18_446_744_073_709_552, isLong: true)),
            MediaDescription("video/mp4")),
        HandmadeFile(
            "MP4 with a duration in its tracks", movie("mp42", header("mvhd", clock: 600, units: 0), track("vide")),
            MediaDescription("video/mp4", duration: 2500)),
        HandmadeFile(
            "MP4 with the duration of its fragments",
            movie(
                "iso5", header("mvhd", clock: 600, units: 0), box("mvex", box("mehd", zeros(4), big(300, 4))),
                track("vide")),
            MediaDescription("video/mp4", duration: 500)),
        HandmadeFile(
            "MP4 with an unknown duration", movie("mp42", header("mvhd", clock: 600, units: UInt64(UInt32.max))),
            MediaDescription("video/mp4")),
        HandmadeFile(
            "MP4 whose clock stands still", movie("mp42", header("mvhd", clock: 0, units: 5)),
            MediaDescription("video/mp4")),
        HandmadeFile(
            "MP4 whose last box has no length",
            box("ftyp", text("isom"), zeros(4)) + big(0, 4) + text("moov")
                + header("mvhd", clock: 1, units: 2), MediaDescription("video/mp4", duration: 2000)),
        HandmadeFile("3GPP", movie("3gp4"), MediaDescription("video/3gpp")),
        HandmadeFile(
            "a brand that means nothing here", box("ftyp", text("crx "), zeros(4)),
            MediaDescription("application/octet-stream")),
    ]
}

// MARK: - Audio

extension HandmadeFile {
    private static func wav(_ form: String = "RIFF", data: [UInt8]) -> [UInt8] {
        let format = little(1, 2) + little(1, 2) + little(8000, 4) + little(16_000, 4) + little(2, 2) + little(16, 2)
        return text(form) + little(0, 4) + text("WAVE") + chunk("LIST", [1, 2, 3]) + [0] + chunk("fmt ", format) + data
    }

    private static func page(position: UInt64, stream: UInt64 = 7, _ packet: [UInt8] = []) -> [UInt8] {
        text("OggS") + [0, 0] + little(position, 8) + little(stream, 4) + zeros(8) + [1, UInt8(packet.count)] + packet
    }

    private static let vorbis = [1] + text("vorbis") + zeros(4) + [2] + little(44_100, 4) + zeros(14)

    /// A frame of MPEG 1, layer 3, 128 kbit/s at 44,100 Hz: 417 bytes.
    private static func mp3(_ content: [UInt8] = []) -> [UInt8] {
        [0xFF, 0xFB, 0x90, 0x00] + content + zeros(413 - content.count)
    }

    private static func id3(_ bytes: Int) -> [UInt8] {
        text("ID3") + [4, 0, 0, 0, 0, UInt8(bytes >> 7), UInt8(bytes & 0x7F)] + zeros(bytes)
    }

    static let audio: [HandmadeFile] = [
        HandmadeFile(
            "WAV with an odd chunk in front", wav(data: chunk("data", zeros(8000))),
            MediaDescription("audio/wav", duration: 500)),
        HandmadeFile(
            "WAV of a recorder that was stopped", wav(data: text("data") + big(0xFFFF_FFFF, 4) + zeros(4000)),
            MediaDescription("audio/wav", duration: 250)),
        HandmadeFile(
            "WAV in 64 bits", wav("RF64", data: text("data") + big(0xFFFF_FFFF, 4) + zeros(1600)),
            MediaDescription("audio/wav", duration: 100)),
        HandmadeFile("WAV without samples", wav(data: []), MediaDescription("audio/wav")),
        HandmadeFile(
            "Vorbis", page(position: 0, vorbis) + page(position: 88_200),
            MediaDescription("audio/ogg", duration: 2000)),
        HandmadeFile(
            "Vorbis beside another stream, the last page unfinished",
            page(position: 0, vorbis) + page(position: 44_100) + page(position: .max) + page(position: 9, stream: 8),
            MediaDescription("audio/ogg", duration: 1000)),
        HandmadeFile(
            "Opus shorter than what is skipped",
            page(position: 0, text("OpusHead") + [1, 2] + little(312, 2) + zeros(7)) + page(position: 100),
            MediaDescription("audio/ogg", duration: 0)),
        HandmadeFile("Theora", page(position: 0, [0x80] + text("theora")), MediaDescription("video/ogg")),
        HandmadeFile("Ogg of another coding", page(position: 0, text("Speex   ")), MediaDescription("audio/ogg")),
        HandmadeFile(
            "MP3 of constant rate between two tags",
            id3(700) + zeros(10) + (0..<100).flatMap { _ in mp3() } + text("TAG") + zeros(125),
            MediaDescription("audio/mpeg", duration: 2606)),
        HandmadeFile(
            "MP3 with a table of Fraunhofer's encoder",
            mp3(zeros(32) + text("VBRI") + zeros(10) + big(441, 4)) + mp3(),
            MediaDescription("audio/mpeg", duration: 11_520)),
        HandmadeFile(
            "MP3 whose table has no number of frames", mp3(zeros(32) + text("Xing") + big(2, 4)) + mp3(),
            MediaDescription("audio/mpeg", duration: 52)),
        HandmadeFile("a tag alone", id3(20), MediaDescription("audio/mpeg")),
        HandmadeFile(
            "FLAC behind a tag", id3(20) + Array(EncodedFile.flac.bytes), MediaDescription("audio/flac", duration: 50)),
        HandmadeFile(
            "one header of MP3 in other data", [0xFF, 0xFB, 0x90, 0x00] + zeros(2000),
            MediaDescription("application/octet-stream")),
    ]

    static let documents: [HandmadeFile] = [
        HandmadeFile("PDF", text("%PDF-1.7\n"), MediaDescription("application/pdf")),
        HandmadeFile("ZIP", text("PK\u{3}\u{4}") + zeros(26), MediaDescription("application/zip")),
        HandmadeFile("gzip", [0x1F, 0x8B, 8] + zeros(7), MediaDescription("application/gzip")),
        HandmadeFile("text", text("Grüße\n\tand a ζ"), MediaDescription("text/plain")),
        HandmadeFile(
            "long text, a character cut at the end of the first read",
            text("x" + String(repeating: "ü", count: 20_000)), MediaDescription("text/plain")),
        HandmadeFile("text cut in a character", [0x61, 0xC3], MediaDescription("application/octet-stream")),
        HandmadeFile("markup", text("<svg onload=alert(1)>"), MediaDescription("text/plain")),
        HandmadeFile("binary", [0x61, 0, 0x62], MediaDescription("application/octet-stream")),
    ]
}
