import Foundation
import Synchronization

/// A stand-in for the service manager: a datagram socket that records its messages.
///
/// It is read at once on a thread of its own: the system buffers only about ten messages for a reader, and the
/// watchdog's would displace the others.
final class NotifySocket: Sendable {
    let path: String
    private let descriptor: Int32
    private let told = Told()

    private final class Told: Sendable {
        let messages = Mutex<[String]>([])
    }

    init(at path: String) throws {
        self.path = path
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: Array(path.utf8)) }
        descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
        let size = socklen_t(MemoryLayout<sockaddr_un>.size)
        let descriptor = descriptor
        let bound = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe bind(descriptor, $0, size) }
        }
        guard bound == 0 else { throw POSIXError(.EADDRNOTAVAIL) }
        Thread.detachNewThread { [told] in
            var buffer = [UInt8](repeating: 0, count: 4096)
            while case let size = unsafe recv(descriptor, &buffer, buffer.count, 0), size > 0 {
                told.messages.withLock { $0.append(String(decoding: buffer.prefix(size), as: UTF8.self)) }
            }
            close(descriptor)
        }
    }

    /// The messages received so far.
    func messages() -> [String] { told.messages.withLock { $0 } }

    /// Ends the thread, which closes the socket.
    deinit { shutdown(descriptor, Int32(SHUT_RDWR)) }
}
