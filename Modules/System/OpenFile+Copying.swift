#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

extension OpenFile {
    /// Makes this empty file share the blocks of another one until either is written to: a copy that takes no space and
    /// no time.
    ///
    /// - Returns: false if the file system cannot do that, or both are not on the same one; this file is then empty.
    package func clone(_ source: OpenFile) -> Bool {
        #if canImport(Darwin)
            return false
        #else
            // FICLONE, which is a macro: _IOW(0x94, 9, int).
            return ioctl(descriptor, 0x4004_9409, source.descriptor) == 0
        #endif
    }

    /// Writes all bytes at an offset. A part may have been written when it throws.
    package func writeAll(_ bytes: [UInt8], at offset: Int64) throws(SystemError) {
        var written = try write(bytes, at: offset)
        while written < bytes.count {
            let count = try write(Array(bytes[written...]), at: offset + Int64(written))
            guard count > 0 else { throw .incomplete }
            written += count
        }
    }
}
