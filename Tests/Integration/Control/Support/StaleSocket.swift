import Foundation

/// Sockets that do not belong to a daemon.
enum StaleSocket {
    struct Listener {
        fileprivate let descriptor: Int32

        func close() { _ = systemClose(descriptor) }
    }

    /// Creates a listening socket.
    static func listen(at path: String) throws -> Listener {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: bytes) }
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        let size = socklen_t(MemoryLayout<sockaddr_un>.size)
        let bound = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe bind(descriptor, $0, size) }
        }
        guard bound == 0, Glibc.listen(descriptor, 8) == 0 else { throw POSIXError(.EADDRNOTAVAIL) }
        return Listener(descriptor: descriptor)
    }

    /// Leaves a socket like that of a killed process.
    static func leave(at path: String) throws { try listen(at: path).close() }
}

private func systemClose(_ descriptor: Int32) -> Int32 { close(descriptor) }

/// A thread whose end can be awaited.
struct WatchingThread: Sendable {
    fileprivate let end: AsyncStream<Void>

    /// Returns when the thread has ended.
    func ended() async { for await _ in end {} }
}

extension Thread {
    static func detached(_ body: @escaping @Sendable () -> Void) -> WatchingThread {
        let (end, ended) = AsyncStream.makeStream(of: Void.self)
        detachNewThread {
            body()
            ended.finish()
        }
        return WatchingThread(end: end)
    }
}
