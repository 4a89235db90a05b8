/// The signature and the first chunk of a PNG file.
enum PNGHeader {
    static func describe(_ file: inout BoundedReader) -> MediaDescription? {
        guard file.bigEndian(at: 0, bytes: 8) == 0x8950_4E47_0D0A_1A0A else { return nil }
        var found = MediaDescription("image/png")
        guard file.has("IHDR", at: 12) else { return found }
        found.setSize(file.bigEndian(at: 16, bytes: 4), file.bigEndian(at: 20, bytes: 4))
        return found
    }
}
