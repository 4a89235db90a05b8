/// The first page of an Ogg file and the number in its last one, from which the duration follows.
enum OggHeader {
    /// The clock of a stream, from its first packet.
    private struct Clock {
        var contentType = "audio/ogg"
        /// Units of a page's position in a second; 0 if unknown.
        var perSecond: UInt64 = 0
        /// Samples at the start that are not played.
        var skipped: UInt64 = 0
    }

    static func describe(_ file: inout BoundedReader) -> MediaDescription? {
        guard file.has("OggS", at: 0), let segments = file.bigEndian(at: 26, bytes: 1) else { return nil }
        let packet = 27 + Int64(segments)
        let clock = clock(of: packet, &file)
        var found = MediaDescription(clock.contentType)
        guard clock.perSecond > 0, let stream = file.bigEndian(at: 14, bytes: 4),
            let last = lastPosition(of: stream, &file)
        else { return found }
        found.setDuration(last - min(last, clock.skipped), perSecond: clock.perSecond)
        return found
    }

    private static func clock(of packet: Int64, _ file: inout BoundedReader) -> Clock {
        var clock = Clock()
        if file.has("\u{1}vorbis", at: packet) {
            clock.perSecond = file.littleEndian(at: packet + 12, bytes: 4) ?? 0
        } else if file.has("OpusHead", at: packet) {
            clock.perSecond = 48_000
            clock.skipped = file.littleEndian(at: packet + 10, bytes: 2) ?? 0
        } else if file.has("\u{7F}FLAC", at: packet), file.has("fLaC", at: packet + 9) {
            clock.perSecond = (file.bigEndian(at: packet + 27, bytes: 3) ?? 0) >> 4
        } else if file.has("theora", at: packet + 1) || file.has("fishead\0", at: packet) {
            clock.contentType = "video/ogg"
        }
        return clock
    }

    /// The position that the last page of a stream states, of those that begin near the end of the file.
    private static func lastPosition(of stream: UInt64, _ file: inout BoundedReader) -> UInt64? {
        let count = Int(min(file.size, Int64(MediaLimits.oggTailBytes)))
        guard let tail = file.bytes(at: file.size - Int64(count), count: count) else { return nil }
        let capture = Array("OggS".utf8)
        var start = count - 27
        while start >= 0 {
            if tail[start] == capture[0], tail[start..<start + 4].elementsEqual(capture),
                bigEndian(tail[start + 14..<start + 18]) == stream
            {
                let position = bigEndian(ArraySlice(tail[start + 6..<start + 14].reversed()))
                // All ones, or -1: no packet ends on this page.
                if position <= UInt64(Int64.max) { return position }
            }
            start -= 1
        }
        return nil
    }

    private static func bigEndian(_ bytes: ArraySlice<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }
}
