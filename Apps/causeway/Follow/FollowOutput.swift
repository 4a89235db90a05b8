#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Standard output, when somebody may close it at the other end.
struct FollowOutput {
    /// Nobody reads any more.
    struct Closed: Error {}

    init() { signal(SIGPIPE, SIG_IGN) }

    /// Writes all of it; with nothing to write it only looks whether somebody reads.
    ///
    /// Throws ``Closed``.
    func write(_ text: String) throws {
        var place = pollfd(fd: STDOUT_FILENO, events: 0, revents: 0)
        if unsafe poll(&place, 1, 0) > 0, place.revents & Int16(POLLERR | POLLNVAL) != 0 { throw Closed() }
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let written = unsafe bytes.withUnsafeBytes { unsafe Self.systemWrite($0.baseAddress, $0.count) }
            if written > 0 {
                bytes = bytes.dropFirst(written)
            } else if written < 0, errno != EINTR {
                throw Closed()
            }
        }
    }

    private static func systemWrite(_ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
        #if canImport(Glibc)
            unsafe Glibc.write(STDOUT_FILENO, bytes, count)
        #elseif canImport(Musl)
            unsafe Musl.write(STDOUT_FILENO, bytes, count)
        #else
            unsafe Darwin.write(STDOUT_FILENO, bytes, count)
        #endif
    }
}
