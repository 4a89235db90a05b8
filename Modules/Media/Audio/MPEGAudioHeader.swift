/// The tags and the first frame of an MP3 or AAC file.
enum MPEGAudioHeader {
    static func describe(_ file: inout BoundedReader) -> MediaDescription? {
        let start = endOfTags(&file)
        let isTagged = start > 0
        if isTagged, let found = FLACHeader.describe(&file, at: start) { return found }
        if isAAC(&file, at: start) { return MediaDescription("audio/aac") }
        guard let (offset, frame) = firstFrame(from: start, isTagged: isTagged, &file) else {
            return isTagged ? MediaDescription("audio/mpeg") : nil
        }
        var found = MediaDescription("audio/mpeg")
        if let samples = statedSamples(frame, at: offset, &file) {
            found.setDuration(samples, perSecond: UInt64(frame.samplesPerSecond))
        } else {
            let bytes = max(0, endOfFrames(&file) - offset)
            found.setDuration(UInt64(bytes) * 8, perSecond: UInt64(frame.bitsPerSecond))
        }
        return found
    }

    /// The offset behind the ID3 tags at the start of the file; 0 if there is none.
    private static func endOfTags(_ file: inout BoundedReader) -> Int64 {
        var offset: Int64 = 0
        for _ in 0..<MediaLimits.id3TagsMax {
            guard file.has("ID3", at: offset), let flags = file.bigEndian(at: offset + 5, bytes: 1),
                let size = file.bigEndian(at: offset + 6, bytes: 4), size & 0x8080_8080 == 0
            else { break }
            // Seven bits of each byte.
            let length = (size >> 24) << 21 | (size >> 16 & 0x7F) << 14 | (size >> 8 & 0x7F) << 7 | size & 0x7F
            let footer: UInt64 = flags & 0x10 == 0 ? 0 : 10
            offset = (offset + 10).advanced(past: length + footer)
        }
        return offset
    }

    /// The end of the last frame: an ID3v1 tag may follow it.
    private static func endOfFrames(_ file: inout BoundedReader) -> Int64 {
        file.size >= 128 && file.has("TAG", at: file.size - 128) ? file.size - 128 : file.size
    }

    /// Two frames of AAC, or one at the end of the file: a single header has too few fixed bits.
    private static func isAAC(_ file: inout BoundedReader, at start: Int64) -> Bool {
        guard let header = file.bigEndian(at: start, bytes: 7), header >> 40 & 0xFFF6 == 0xFFF0,
            header >> 34 & 0xF < 13
        else { return false }
        let length = header >> 13 & 0x1FFF
        guard length >= 7 else { return false }
        let next = start + Int64(length)
        guard let second = file.bigEndian(at: next, bytes: 2) else { return next == file.size }
        return second & 0xFFF6 == 0xFFF0
    }

    /// The first frame that another one follows, or that ends with the file; behind a tag, any frame.
    private static func firstFrame(
        from start: Int64, isTagged: Bool, _ file: inout BoundedReader
    ) -> (offset: Int64, frame: MPEGAudioFrame)? {
        // Padding may follow a tag. Without one, the file begins with its first frame: a header somewhere in other
        // data means nothing.
        let last = isTagged ? start + Int64(MediaLimits.mp3SearchBytes) : start
        var offset = start
        while offset <= last, let header = file.bigEndian(at: offset, bytes: 4) {
            if let frame = MPEGAudioFrame(header: header) {
                let next = offset + Int64(frame.bytes)
                if let second = file.bigEndian(at: next, bytes: 4) {
                    if MPEGAudioFrame(header: second)?.isLike(frame) == true { return (offset, frame) }
                } else if next <= file.size || isTagged {
                    return (offset, frame)
                }
            }
            offset += 1
        }
        return nil
    }

    /// The number of samples that the first frame states, in the place of its own; `nil` if it states none.
    private static func statedSamples(
        _ frame: MPEGAudioFrame, at offset: Int64, _ file: inout BoundedReader
    ) -> UInt64? {
        let tag = offset + 4 + Int64(frame.sideBytes)
        if file.has("Xing", at: tag) || file.has("Info", at: tag) {
            guard let flags = file.bigEndian(at: tag + 4, bytes: 4), flags & 1 == 1,
                let frames = file.bigEndian(at: tag + 8, bytes: 4), frames > 0
            else { return nil }
            let samples = frames * UInt64(frame.samples)
            return samples - min(samples, unplayedSamples(at: tag, flags, &file))
        }
        guard file.has("VBRI", at: offset + 36), let frames = file.bigEndian(at: offset + 50, bytes: 4), frames > 0
        else { return nil }
        return frames * UInt64(frame.samples)
    }

    /// The samples that the encoder added at both ends, which a player skips.
    private static func unplayedSamples(at tag: Int64, _ flags: UInt64, _ file: inout BoundedReader) -> UInt64 {
        let encoder = tag + 120
        guard flags & 0xF == 0xF,
            file.has("LAME", at: encoder) || file.has("Lavf", at: encoder) || file.has("Lavc", at: encoder),
            let both = file.bigEndian(at: encoder + 21, bytes: 3)
        else { return 0 }
        return both >> 12 + both & 0xFFF
    }
}
