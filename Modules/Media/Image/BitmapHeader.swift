/// The headers of BMP, TIFF and ICO files; the size of a bitmap with one of the usual headers.
enum BitmapHeader {
    static func describe(_ file: inout BoundedReader) -> MediaDescription? {
        if file.bigEndian(at: 0, bytes: 4) == 0x4949_2A00 || file.bigEndian(at: 0, bytes: 4) == 0x4D4D_002A {
            return MediaDescription("image/tiff")
        }
        if file.bigEndian(at: 0, bytes: 4) == 0x0000_0100, let count = file.littleEndian(at: 4, bytes: 2),
            (1...256).contains(count), file.size >= 22
        {
            return MediaDescription("image/vnd.microsoft.icon")
        }
        // Two letters alone may begin any text: the header's size makes it a bitmap.
        guard file.has("BM", at: 0), let headerBytes = file.littleEndian(at: 14, bytes: 4),
            [40, 52, 56, 64, 108, 124].contains(headerBytes)
        else { return nil }
        var found = MediaDescription("image/bmp")
        found.setSize(file.littleEndian(at: 18, bytes: 4), file.littleEndian(at: 22, bytes: 4).map(magnitude))
        return found
    }

    /// Rows stored from the top have a negative height.
    private static func magnitude(_ height: UInt64) -> UInt64 {
        UInt64(Int32(truncatingIfNeeded: height).magnitude)
    }
}
