import CZlib

/// One run of zlib that decompresses bytes in memory, part by part, so that no more is kept than the limit.
enum Inflation {
    enum Format {
        /// One complete gzip file, and nothing behind it.
        case file
        /// Blocks that end with an empty one; any of them may be marked as the last.
        case blocks
    }

    private static let chunkBytes = 64 * 1024
    /// `data_type` of a stream right behind a block, at the beginning of a byte.
    private static let behindBlock: Int32 = 128
    private static let behindBlockMask: Int32 = 128 + 63

    /// - Parameters:
    ///   - stream: initialized; not used otherwise.
    ///   - bytesMax, growing: see ``Gzip``.
    static func run(
        _ stream: inout z_stream, _ bytes: [UInt8], _ format: Format, bytesMax: Int, growing: (Int) throws -> Void
    ) throws -> [UInt8] {
        try unsafe bytes.withUnsafeBufferPointer { input in
            unsafe stream.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
            unsafe stream.avail_in = uInt(input.count)
            var content: [UInt8] = []
            // Used again for every part: a sequence may have as many blocks as bytes.
            var room = [UInt8](repeating: 0, count: chunkBytes)
            while true {
                var status = Z_OK
                let count = unsafe room.withUnsafeMutableBufferPointer { room in
                    unsafe stream.next_out = room.baseAddress
                    unsafe stream.avail_out = uInt(room.count)
                    status = unsafe inflate(&stream, Z_NO_FLUSH)
                    return unsafe room.count - Int(stream.avail_out)
                }
                guard content.count + count <= bytesMax else { throw GzipError.tooLarge(bytesMax: bytesMax) }
                try growing(count)
                append(room[..<count], to: &content, bytesMax: bytesMax)
                let isRead = unsafe stream.avail_in == 0
                switch (format, status) {
                // Of blocks the empty one, too, may be marked as the last.
                case (_, Z_STREAM_END) where isRead: return content
                // A block that is marked as the last one; more follow.
                case (.blocks, Z_STREAM_END) where !isRead:
                    guard unsafe inflateReset(&stream) == Z_OK else { throw GzipError.malformed }
                // Looked at before zlib is called again, which forgets it.
                case (.blocks, Z_OK) where unsafe isRead && stream.data_type & behindBlockMask == behindBlock:
                    return content
                // Without input there is nothing more to come: the data end early.
                case (_, Z_OK) where !isRead || count == chunkBytes: continue
                default: throw GzipError.malformed
                }
            }
        }
    }

    /// Doubles the room as it is used up, up to the limit.
    private static func append(_ part: ArraySlice<UInt8>, to content: inout [UInt8], bytesMax: Int) {
        let count = content.count + part.count
        if count > content.capacity { content.reserveCapacity(max(count, min(bytesMax, 2 * content.capacity))) }
        content += part
    }
}
