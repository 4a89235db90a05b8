import Synchronization

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// An open file or folder. Closed when it is released, or before by ``close()``.
///
/// A program that is started does not inherit it. Calls that a signal interrupts are repeated.
package final class OpenFile: Sendable {
    /// The use of the file.
    package enum Access: Sendable { case reading, writing, readingAndWriting }

    /// How the file is found.
    package struct Options: OptionSet, Sendable {
        package let rawValue: Int

        package init(rawValue: Int) { self.rawValue = rawValue }

        /// Creates the file if it is missing.
        package static let create = Options(rawValue: 1)
        /// With ``create``: fails if there is a file of that name, and follows no link.
        package static let exclusive = Options(rawValue: 2)
        /// Every write goes to the end of the file.
        package static let append = Options(rawValue: 4)
        /// Fails if the last part of the path is a link.
        package static let noLink = Options(rawValue: 8)
        /// Fails unless it is a folder.
        package static let folder = Options(rawValue: 16)
        /// Does not wait for the other end of a pipe.
        package static let noWait = Options(rawValue: 32)
    }

    /// -1 when closed.
    private let number: Atomic<Int32>

    /// Opens a file.
    ///
    /// - Parameter permissions: of a file that is created; by default only its owner may read and write it.
    package init(
        _ path: String, for access: Access, _ options: Options = [], permissions: FilePermissions = .owner
    ) throws(SystemError) {
        var flags = O_CLOEXEC
        switch access {
        case .reading: flags |= O_RDONLY
        case .writing: flags |= O_WRONLY
        case .readingAndWriting: flags |= O_RDWR
        }
        if options.contains(.create) { flags |= O_CREAT }
        if options.contains(.exclusive) { flags |= O_EXCL }
        if options.contains(.append) { flags |= O_APPEND }
        if options.contains(.noLink) { flags |= O_NOFOLLOW }
        if options.contains(.folder) { flags |= O_DIRECTORY }
        if options.contains(.noWait) { flags |= O_NONBLOCK }
        let opened = unsafe open(path, flags, mode_t(permissions.rawValue))
        guard opened >= 0 else { throw .last }
        number = Atomic(opened)
    }

    deinit { try? close() }

    /// Closes the file; does nothing if it is closed.
    package func close() throws(SystemError) {
        let opened = number.exchange(-1, ordering: .relaxed)
        guard opened < 0 || systemClose(opened) == 0 else { throw .last }
    }

    /// The number of the descriptor; -1 when closed.
    var descriptor: Int32 { number.load(ordering: .relaxed) }

    // MARK: - Reading

    package func status() throws(SystemError) -> FileStatus {
        var found = stat()
        guard unsafe fstat(descriptor, &found) == 0 else { throw .last }
        return FileStatus(found)
    }

    /// The bytes from the current position on, at most `countMax`; empty at the end.
    package func read(upTo countMax: Int) throws(SystemError) -> [UInt8] {
        try InputHandle(descriptor: descriptor).read(upTo: countMax)
    }

    /// The bytes from an offset, at most `count`; fewer at the end of the file.
    package func bytes(at offset: Int64, count: Int) throws(SystemError) -> [UInt8] {
        var failure: SystemError?
        // Not filled with zeros first: that would cost as much as the reading.
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: count) { memory, size in
            do throws(SystemError) {
                size = unsafe try read(at: offset, into: UnsafeMutableRawBufferPointer(memory))
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
        // A copy that holds no more memory than its bytes take.
        return bytes.count == count ? bytes : unsafe bytes.withUnsafeBytes { unsafe Array($0) }
    }

    /// Reads bytes from an offset, in one call of the system.
    ///
    /// - Returns: the number of bytes, fewer than the buffer has at the end of the file.
    @unsafe package func read(
        at offset: Int64, into buffer: UnsafeMutableRawBufferPointer
    ) throws(SystemError) -> Int {
        let size = unsafe pread(descriptor, buffer.baseAddress, buffer.count, off_t(offset))
        guard size >= 0 else { throw .last }
        return size
    }

    // MARK: - Writing

    /// Writes all bytes at the current position. A part may have been written when it throws.
    package func write(_ bytes: [UInt8]) throws(SystemError) {
        let output = OutputHandle(descriptor: descriptor)
        var rest = bytes[...]
        while !rest.isEmpty {
            do throws(OutputError) {
                rest = rest.dropFirst(try output.writeOnce(rest))
            } catch {
                throw SystemError(code: error.code)
            }
        }
    }

    /// Writes all bytes in one call of the system, so that the writes of two processes do not interleave.
    ///
    /// Throws also when only a part was written.
    package func writeAtOnce(_ bytes: [UInt8]) throws(SystemError) {
        let count: Int
        do throws(OutputError) {
            count = try OutputHandle(descriptor: descriptor).writeOnce(bytes[...])
        } catch {
            throw SystemError(code: error.code)
        }
        guard count == bytes.count else { throw .incomplete }
    }

    /// Writes at an offset, in one call of the system.
    ///
    /// - Returns: the number of bytes written.
    package func write(_ bytes: [UInt8], at offset: Int64) throws(SystemError) -> Int {
        let size = unsafe bytes.withUnsafeBytes { unsafe pwrite(descriptor, $0.baseAddress, $0.count, off_t(offset)) }
        guard size >= 0 else { throw .last }
        return size
    }

    /// Cuts the file to this length.
    package func truncate(to length: Int64) throws(SystemError) {
        guard ftruncate(descriptor, off_t(length)) == 0 else { throw .last }
    }

    /// Returns when the content of the file and its length are on the disk.
    package func syncData() throws(SystemError) {
        #if canImport(Darwin)
            guard fsync(descriptor) == 0 else { throw .last }
        #else
            guard fdatasync(descriptor) == 0 else { throw .last }
        #endif
    }

    /// Returns when the content of the file, or the names in the folder, are on the disk.
    package func sync() throws(SystemError) {
        guard fsync(descriptor) == 0 else { throw .last }
    }
}

/// The system's call, which the method of the same name hides.
private func systemClose(_ descriptor: Int32) -> Int32 { close(descriptor) }
