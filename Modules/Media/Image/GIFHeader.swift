/// The signature of a GIF file and the size of its screen.
enum GIFHeader {
    static func describe(_ file: inout BoundedReader) -> MediaDescription? {
        guard file.has("GIF87a", at: 0) || file.has("GIF89a", at: 0) else { return nil }
        var found = MediaDescription("image/gif")
        found.setSize(file.littleEndian(at: 6, bytes: 2), file.littleEndian(at: 8, bytes: 2))
        return found
    }
}
