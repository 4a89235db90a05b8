import Foundation
import Synchronization

/// The bytes from a pipe, read by a thread until the last writer has closed it.
final class CollectedOutput: Sendable {
    private let data = Mutex(Data())
    private let end = Latch<Bool>()

    /// - Parameter descriptor: closed at the end.
    init(_ descriptor: Int32) {
        Thread.detachNewThread { [self] in read(descriptor) }
    }

    var text: String { data.withLock { String(decoding: $0, as: UTF8.self) } }
    var isComplete: Bool { end.value != nil }

    /// Waits for the end.
    func completed() async { _ = await end.wait() }

    private func read(_ descriptor: Int32) {
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = unsafe Foundation.read(descriptor, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            data.withLock { $0.append(contentsOf: chunk[..<count]) }
        }
        close(descriptor)
        end.set(true)
    }
}
