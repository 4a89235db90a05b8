import CZlib

/// Blocks of deflate (RFC 1951) as a message of a WebSocket has them (RFC 7692 §7.2): flushed, without the four bytes
/// `00 00 FF FF` at the end, and without a context from the message before.
///
/// The work is done on the thread of the caller, and costs as much as that of ``Gzip``. Memory is used during a call
/// alone: up to 268 KiB to compress, up to 40 KiB to decompress, besides the bytes.
package enum DeflateBlocks {
    /// The windows that zlib can compress with: 2 to the power of so many bytes. It decompresses those of all.
    package static let windowBits = 9...15

    /// The empty block with which a flush ends, without its first bits.
    private static let tail: [UInt8] = [0, 0, 0xFF, 0xFF]

    /// - Parameter windowBits: the largest window.
    /// - Returns: `nil` without memory for it.
    package static func compressed(_ bytes: [UInt8], windowBits: Int) -> [UInt8]? {
        precondition(Self.windowBits.contains(windowBits), "zlib has no such window")
        var stream = unsafe z_stream()
        let bits = Int32(min(windowBits, smallestWindow(for: bytes.count)))
        guard unsafe causeway_deflateInit_raw(&stream, Deflation.level, bits) == Z_OK else { return nil }
        defer { unsafe deflateEnd(&stream) }
        guard var blocks = unsafe Deflation.run(&stream, bytes, Z_SYNC_FLUSH), blocks.suffix(4) == tail[...] else {
            return nil
        }
        blocks.removeLast(tail.count)
        return blocks
    }

    /// The window in which every byte is in reach of the last one; a larger one only costs memory.
    private static func smallestWindow(for count: Int) -> Int {
        // zlib does not look back over its last 262 bytes.
        windowBits.first { 1 << $0 >= count + 262 } ?? windowBits.upperBound
    }

    /// - Parameters:
    ///   - bytesMax: the most bytes of content; hardly more memory than this is used.
    ///   - growing: called with the number of further bytes before they are kept; may refuse.
    /// - Throws: ``GzipError``, or the error of `growing`.
    package static func decompressed(
        _ bytes: [UInt8], bytesMax: Int, growing: (Int) throws -> Void = { _ in }
    ) throws -> [UInt8] {
        var stream = unsafe z_stream()
        guard unsafe causeway_inflateInit_raw(&stream, Deflation.windowBits) == Z_OK else {
            throw GzipError.malformed
        }
        defer { unsafe inflateEnd(&stream) }
        return try unsafe Inflation.run(&stream, bytes + tail, .blocks, bytesMax: bytesMax, growing: growing)
    }
}
