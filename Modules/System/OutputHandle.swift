#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The reason why a descriptor accepts no more output.
package enum OutputError: Error, Sendable, Hashable {
    /// The reader at the other end has closed.
    case closed
    /// The system's error number: the disk is full, the descriptor is closed.
    case failed(code: Int32)

    init(_ code: Int32) { self = code == EPIPE ? .closed : .failed(code: code) }

    /// The descriptor is non-blocking, and accepted nothing now.
    package var isTemporary: Bool { self == .failed(code: EAGAIN) }
}

extension OutputError: CustomStringConvertible {
    /// The system's error number.
    var code: Int32 {
        switch self {
        case .closed: EPIPE
        case .failed(let code): code
        }
    }

    package var description: String { SystemWords.words(for: code) }
}

/// A descriptor for a program's output, unbuffered. Waits for a slow reader.
package struct OutputHandle: Sendable, Hashable {
    package static let standardOutput = OutputHandle(descriptor: STDOUT_FILENO)
    package static let standardError = OutputHandle(descriptor: STDERR_FILENO)

    package let descriptor: Int32

    package init(descriptor: Int32) { self.descriptor = descriptor }

    /// Writes the whole text.
    ///
    /// Throws ``OutputError``; a part may have been written then.
    package func write(_ text: String) throws(OutputError) {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            do throws(OutputError) {
                bytes = bytes.dropFirst(try writeOnce(bytes))
            } catch {
                guard error.isTemporary else { throw error }
                _ = isReady(within: -1)
            }
        }
    }

    /// Throws ``OutputError/closed`` if the reader has closed, without writing anything.
    package func checkReader() throws(OutputError) {
        var place = pollfd(fd: descriptor, events: 0, revents: 0)
        if unsafe poll(&place, 1, 0) > 0, place.revents & Int16(POLLERR | POLLNVAL) != 0 { throw .closed }
    }

    /// Writes as much as the system accepts at once.
    package func writeOnce(_ bytes: ArraySlice<UInt8>) throws(OutputError) -> Int {
        while true {
            let count = unsafe bytes.withUnsafeBytes { unsafe systemWrite(descriptor, $0.baseAddress, $0.count) }
            if count > 0 || bytes.isEmpty { return count }
            if count == 0 { throw .failed(code: EIO) }
            if errno != EINTR { throw OutputError(errno) }
        }
    }

    /// Waits until a write would be accepted or refused at once.
    ///
    /// - Parameter milliseconds: the maximum time to wait; unlimited if negative.
    package func isReady(within milliseconds: Int32) -> Bool {
        var place = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        return unsafe poll(&place, 1, milliseconds) != 0
    }
}

private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
    unsafe write(descriptor, bytes, count)
}
