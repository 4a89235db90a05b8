package import CausewayControlAPI
import CausewaySystem
package import Foundation

/// Lines of standard input, as many at a time as are available: a slow writer's line does not wait for the next.
///
/// For one task at a time.
package final class LineInput {
    /// One line, without its end, and its number.
    package struct Line: Sendable {
        package let number: Int
        package let bytes: Data
    }

    private let descriptor: Int32
    private let lineBytesMax: Int
    private var rest = Data()
    private var count = 0
    private var isAtEnd = false

    package init(descriptor: Int32 = InputHandle.standardInput.descriptor, lineBytesMax: Int) {
        self.descriptor = descriptor
        self.lineBytesMax = lineBytesMax
    }

    /// Returns the next lines; `nil` at the end.
    ///
    /// Throws ``ControlError/Code/badRequest`` for a line that is longer than any message.
    package func next() async throws(ControlError) -> [Line]? {
        while !isAtEnd {
            let chunk = try await StandardInput.read(descriptor, bytesMax: CommandLineLimits.inputBytesPerRead)
            isAtEnd = chunk.isEmpty
            rest.append(chunk)
            let lines = try takeLines()
            if !lines.isEmpty { return lines }
        }
        return nil
    }

    private func takeLines() throws(ControlError) -> [Line] {
        var lines: [Line] = []
        var start = rest.startIndex
        while let end = rest[start...].firstIndex(of: UInt8(ascii: "\n")) {
            lines.append(line(rest[start..<end]))
            start = end + 1
        }
        if isAtEnd, start < rest.endIndex {
            lines.append(line(rest[start...]))
            start = rest.endIndex
        }
        rest = Data(rest[start...])
        guard rest.count <= lineBytesMax else {
            throw ControlError(.badRequest, "line \(count + 1) is longer than \(lineBytesMax) bytes")
        }
        return lines
    }

    private func line(_ bytes: Data) -> Line {
        count += 1
        let isFromDOS = bytes.last == UInt8(ascii: "\r")
        return Line(number: count, bytes: isFromDOS ? bytes.dropLast() : bytes)
    }
}

/// Standard input, read outside the cooperative thread pool.
package enum StandardInput {
    /// Returns the available bytes, at most `bytesMax`; empty at the end.
    static func read(_ descriptor: Int32, bytesMax: Int) async throws(ControlError) -> Data {
        let result: Result<Data, ControlError> = await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                do throws(SystemError) {
                    let bytes = try InputHandle(descriptor: descriptor).read(upTo: bytesMax)
                    continuation.resume(returning: .success(Data(bytes)))
                } catch {
                    continuation.resume(
                        returning: .failure(ControlError(.badRequest, "cannot read the input: \(error)")))
                }
            }
        }
        return try result.get()
    }

    /// Reads everything until the end.
    ///
    /// Throws ``ControlError/Code/messageInvalid`` when there are more than `bytesMax` bytes.
    package static func all(bytesMax: Int) async throws(ControlError) -> Data {
        var data = Data()
        while true {
            let chunk = try await read(
                InputHandle.standardInput.descriptor, bytesMax: CommandLineLimits.inputBytesPerRead)
            if chunk.isEmpty { return data }
            data.append(chunk)
            guard data.count <= bytesMax else {
                throw ControlError(.messageInvalid, "the input is longer than \(bytesMax) bytes; nothing was sent")
            }
        }
    }
}
