import CausewayTestSupport
import Foundation
import Synchronization

/// The lines read from a pipe, until it is closed at this end.
final class PipeLines: Sendable {
    private let descriptor: Int32
    private let text = Mutex("")

    init(_ handle: FileHandle) {
        descriptor = dup(handle.fileDescriptor)
        try? handle.close()
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    }

    /// Waits for a line that contains all of these parts.
    func has(_ parts: String...) async throws {
        try await Eventually.holds("\(parts) in: \(text.withLock { $0 })") {
            read()
            return text.withLock { $0 }.split(separator: "\n").contains { line in parts.allSatisfy(line.contains) }
        }
    }

    private func read() {
        var buffer = [UInt8](repeating: 0, count: 65536)
        while case let count = unsafe Foundation.read(descriptor, &buffer, buffer.count), count > 0 {
            text.withLock { $0 += String(decoding: buffer[..<count], as: UTF8.self) }
        }
    }

    func close() { _ = Foundation.close(descriptor) }
}
