/// The segments of a JPEG file up to its frame header.
enum JPEGHeader {
    static func describe(_ file: inout BoundedReader) -> MediaDescription? {
        guard file.bigEndian(at: 0, bytes: 3) == 0xFFD8FF else { return nil }
        var found = MediaDescription("image/jpeg")
        var isTurned = false
        var offset: Int64 = 2
        while let marker = nextMarker(&file, &offset) {
            guard let length = file.bigEndian(at: offset, bytes: 2), length >= 2 else { return found }
            let data = offset + 2
            switch marker {
            // A frame header. The three other numbers of the range are tables.
            case 0xC0...0xCF where ![0xC4, 0xC8, 0xCC].contains(marker):
                found.setSize(
                    file.bigEndian(at: data + 3, bytes: 2), file.bigEndian(at: data + 1, bytes: 2), isTurned: isTurned)
                return found
            case 0xE1 where file.has("Exif\0\0", at: data):
                isTurned = EXIFOrientation.isTurned(&file, at: data + 6, end: offset + Int64(length))
            // The scan begins before any frame header: there is none.
            case 0xDA, 0xD9: return found
            default: break
            }
            offset += Int64(length)
        }
        return found
    }

    /// Moves behind the next marker that has a segment, over fill bytes and markers that stand alone.
    private static func nextMarker(_ file: inout BoundedReader, _ offset: inout Int64) -> UInt64? {
        guard file.bigEndian(at: offset, bytes: 1) == 0xFF else { return nil }
        while let byte = file.bigEndian(at: offset, bytes: 1) {
            offset += 1
            switch byte {
            case 0xFF, 0x01, 0xD0...0xD7: continue
            case 0x00, 0xD8: return nil
            default: return byte
            }
        }
        return nil
    }
}

/// The orientation in the first directory of EXIF data.
enum EXIFOrientation {
    private static let tag: UInt64 = 0x0112

    /// Whether the picture is displayed on its side.
    ///
    /// - Parameters:
    ///   - start: the offset of the TIFF header; offsets in the data count from here.
    ///   - end: the end of the segment.
    static func isTurned(_ file: inout BoundedReader, at start: Int64, end: Int64) -> Bool {
        let isLittle: Bool
        switch file.bigEndian(at: start, bytes: 4) {
        case 0x4949_2A00: isLittle = true
        case 0x4D4D_002A: isLittle = false
        default: return false
        }
        func number(_ offset: Int64, _ count: Int) -> UInt64? {
            guard offset <= end - Int64(count) else { return nil }
            return isLittle
                ? file.littleEndian(at: offset, bytes: count) : file.bigEndian(at: offset, bytes: count)
        }
        guard let place = number(start + 4, 4) else { return false }
        let directory = start + Int64(place)
        guard let count = number(directory, 2) else { return false }
        for index in 0..<min(Int64(count), Int64(MediaLimits.exifEntriesMax)) {
            let entry = directory + 2 + index * 12
            guard let name = number(entry, 2) else { return false }
            if name == tag { return number(entry + 8, 2).map { (5...8).contains($0) } ?? false }
        }
        return false
    }
}
