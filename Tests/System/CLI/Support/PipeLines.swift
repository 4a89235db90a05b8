import CausewayTestSupport
import Foundation
import Synchronization

/// The lines written to a pipe, until it is closed at the reading end.
final class PipeLines: Sendable {
    /// For the writer; open as long as this object.
    let writingEnd: Int32
    private let reading: Mutex<(descriptor: Int32, text: String)>

    init() throws {
        var ends: [Int32] = [-1, -1]
        guard unsafe pipe(&ends) == 0 else { throw POSIXError(.EMFILE) }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        _ = fcntl(ends[0], F_SETFL, O_NONBLOCK)
        writingEnd = ends[1]
        reading = Mutex((ends[0], ""))
    }

    deinit {
        close()
        _ = Foundation.close(writingEnd)
    }

    /// The text so far.
    var text: String {
        reading.withLock { reading in
            var buffer = [UInt8](repeating: 0, count: 65536)
            while case let count = unsafe read(reading.descriptor, &buffer, buffer.count), count > 0 {
                reading.text += String(decoding: buffer[..<count], as: UTF8.self)
            }
            return reading.text
        }
    }

    /// Waits for a line that contains all of these parts.
    func has(_ parts: String...) async throws {
        try await Eventually.holds("\(parts) in: \(text)") {
            text.split(separator: "\n").contains { line in parts.allSatisfy(line.contains) }
        }
    }

    /// Closes the reading end.
    func close() {
        reading.withLock { reading in
            if reading.descriptor >= 0 { _ = Foundation.close(reading.descriptor) }
            reading.descriptor = -1
        }
    }
}
