/// The chunks of a WAV file up to its samples.
enum WAVHeader {
    static func describe(_ file: inout BoundedReader) -> MediaDescription? {
        guard file.has("RIFF", at: 0) || file.has("RF64", at: 0), file.has("WAVE", at: 8) else { return nil }
        var found = MediaDescription("audio/wav")
        var bytesPerSecond: UInt64 = 0
        var offset: Int64 = 12
        while let length = file.littleEndian(at: offset + 4, bytes: 4) {
            let data = offset + 8
            if file.has("fmt ", at: offset) {
                bytesPerSecond = file.littleEndian(at: data + 8, bytes: 4) ?? 0
            } else if file.has("data", at: offset) {
                // A recorder that was stopped leaves any length, and a file above 4 GiB has it elsewhere.
                found.setDuration(min(length, UInt64(file.size - data)), perSecond: bytesPerSecond)
                return found
            }
            // Chunks begin at even offsets.
            offset = data.advanced(past: length + length & 1)
        }
        return found
    }
}

/// The first block of a FLAC file.
enum FLACHeader {
    static func describe(_ file: inout BoundedReader, at start: Int64) -> MediaDescription? {
        guard file.has("fLaC", at: start) else { return nil }
        var found = MediaDescription("audio/flac")
        // 20 bits of the rate, 3 of the channels, 5 of the depth, 36 of the number of samples; 0 is unknown.
        if let kind = file.bigEndian(at: start + 4, bytes: 1), kind & 0x7F == 0,
            let bits = file.bigEndian(at: start + 18, bytes: 8), bits & 0xF_FFFF_FFFF > 0
        {
            found.setDuration(bits & 0xF_FFFF_FFFF, perSecond: bits >> 44)
        }
        return found
    }
}
