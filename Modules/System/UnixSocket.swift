#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// Sockets that have a name in the file system.
package enum UnixSocket {
    /// Bytes in the path of a socket: the size of `sockaddr_un` on every system, less the final zero.
    package static let pathBytesMax = 103

    /// True if a process accepts connections at the path.
    package static func isListening(at path: String) -> Bool {
        let name = Array(path.utf8)
        guard name.count <= pathBytesMax, !name.contains(0) else { return false }
        let descriptor = socket(AF_UNIX, streamType, 0)
        guard descriptor >= 0 else { return false }
        defer { _ = close(descriptor) }
        // A full queue of a live process fails with EAGAIN instead of blocking.
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        let size = socklen_t(MemoryLayout<sockaddr_un>.size)
        let result = unsafe withAddress(name) { unsafe connect(descriptor, $0, size) }
        return result == 0 || errno == EAGAIN || errno == EINPROGRESS
    }

    /// Sends one datagram without waiting. A receiver that is not there, or does not keep up, is ignored.
    ///
    /// - Parameter path: a path, or `@` and the name of an abstract socket.
    package static func send(_ message: String, to path: String) {
        var name = Array(path.utf8)
        // The name of an abstract socket begins with a zero byte.
        let isAbstract = name.first == UInt8(ascii: "@")
        if isAbstract { name[0] = 0 }
        guard !name.isEmpty, name.count < MemoryLayout<sockaddr_un>.size - MemoryLayout<sa_family_t>.size else {
            return
        }
        let descriptor = socket(AF_UNIX, datagramType, 0)
        guard descriptor >= 0 else { return }
        defer { _ = close(descriptor) }
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        let size = socklen_t(MemoryLayout<sa_family_t>.size + name.count + (isAbstract ? 0 : 1))
        let bytes = Array(message.utf8)
        _ = unsafe withAddress(name) { unsafe sendto(descriptor, bytes, bytes.count, Int32(MSG_DONTWAIT), $0, size) }
    }

    private static func withAddress<Result>(
        _ name: [UInt8], _ body: (UnsafePointer<sockaddr>) -> Result
    ) -> Result {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: name) }
        return unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe body($0) }
        }
    }
}

#if canImport(Glibc)
    private let streamType = Int32(SOCK_STREAM.rawValue)
    private let datagramType = Int32(SOCK_DGRAM.rawValue)
#else
    private let streamType = SOCK_STREAM
    private let datagramType = SOCK_DGRAM
#endif
