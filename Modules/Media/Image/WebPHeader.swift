/// The first chunk of a WebP file, in each of its three forms.
enum WebPHeader {
    /// The offset of the first chunk's data.
    private static let data: Int64 = 20

    static func describe(_ file: inout BoundedReader) -> MediaDescription? {
        guard file.has("RIFF", at: 0), file.has("WEBP", at: 8) else { return nil }
        var found = MediaDescription("image/webp")
        if file.has("VP8X", at: 12) {
            extended(&file, &found)
        } else if file.has("VP8L", at: 12) {
            lossless(&file, &found)
        } else if file.has("VP8 ", at: 12) {
            lossy(&file, &found)
        }
        return found
    }

    /// The canvas: both sides less one, in 24 bits.
    private static func extended(_ file: inout BoundedReader, _ found: inout MediaDescription) {
        guard let width = file.littleEndian(at: data + 4, bytes: 3),
            let height = file.littleEndian(at: data + 7, bytes: 3)
        else { return }
        found.setSize(width + 1, height + 1)
    }

    /// A signature, then both sides less one, in 14 bits.
    private static func lossless(_ file: inout BoundedReader, _ found: inout MediaDescription) {
        guard file.bigEndian(at: data, bytes: 1) == 0x2F, let bits = file.littleEndian(at: data + 1, bytes: 4) else {
            return
        }
        found.setSize(bits & 0x3FFF + 1, bits >> 14 & 0x3FFF + 1)
    }

    /// A key frame: its tag, its start code, then both sides in 14 bits beside their scale.
    private static func lossy(_ file: inout BoundedReader, _ found: inout MediaDescription) {
        guard let tag = file.littleEndian(at: data, bytes: 3), tag & 1 == 0,
            file.bigEndian(at: data + 3, bytes: 3) == 0x9D012A,
            let width = file.littleEndian(at: data + 6, bytes: 2),
            let height = file.littleEndian(at: data + 8, bytes: 2)
        else { return }
        found.setSize(width & 0x3FFF, height & 0x3FFF)
    }
}
