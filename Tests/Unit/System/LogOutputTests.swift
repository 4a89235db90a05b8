import CausewaySystem
import Foundation
import Testing

/// A log that cannot be written neither delays nor ends the program; lost lines are reported later.
@Suite struct LogOutputTests {
    /// A pipe of two pages, read only when the test does so.
    private final class SmallPipe {
        private var reader: Int32?
        let writer: Int32
        let log: LogOutput

        init() throws {
            signal(SIGPIPE, SIG_IGN)
            var ends: [Int32] = [0, 0]
            guard unsafe pipe(&ends) == 0 else { throw CocoaError(.fileWriteUnknown) }
            (reader, writer) = (ends[0], ends[1])
            // F_SETPIPE_SZ; a started last page has room for more, but a pipe of one page would not.
            guard fcntl(writer, 1031, 8192) == 8192 else { throw CocoaError(.fileWriteUnknown) }
            log = LogOutput(OutputHandle(descriptor: writer), patienceMilliseconds: 0)
        }

        deinit {
            closeReader()
            close(writer)
        }

        /// Only once: afterwards the number may belong to another test's file.
        func closeReader() {
            if let reader { close(reader) }
            reader = nil
        }

        func write(_ line: String) { log.write(line) { "lost \($0)\n" } }

        /// The contents of the pipe.
        func read() -> String {
            var bytes = [UInt8](repeating: 0, count: 65536)
            guard let reader else { return "" }
            let count = unsafe Foundation.read(reader, &bytes, bytes.count)
            return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
        }
    }

    @Test func aReaderThatStallsLosesLinesAndIsToldHowMany() throws {
        let pipe = try SmallPipe()
        let long = String(repeating: "x", count: 4095) + "\n"
        pipe.write(long)
        pipe.write(long)
        for _ in 0..<3 { pipe.write("never\n") }
        #expect(pipe.read() == long + long)
        pipe.write("again\n")
        pipe.write("and on\n")
        #expect(pipe.read() == "lost 3\nagain\nand on\n")
    }

    @Test func aLineThatWasCutOffIsEndedBeforeTheNext() throws {
        let pipe = try SmallPipe()
        pipe.write(String(repeating: "x", count: 9000) + "\n")
        #expect(pipe.read() == String(repeating: "x", count: 8192))
        pipe.write("next\n")
        #expect(pipe.read() == "\nlost 1\nnext\n")
    }

    @Test func aClosedPipeAFullDiskAndAClosedDescriptorAreBorne() throws {
        let pipe = try SmallPipe()
        pipe.closeReader()
        for _ in 0..<100 { pipe.write("nobody reads\n") }
        let full = unsafe open("/dev/full", O_WRONLY)
        defer { close(full) }
        for descriptor in [full, 9999] {
            let log = LogOutput(OutputHandle(descriptor: descriptor))
            var notices: [Int] = []
            for _ in 0..<3 {
                log.write("no room\n") { count in
                    notices.append(count)
                    return "lost\n"
                }
            }
            #expect(notices == [1, 2])
        }
    }

    @Test func outputThatCannotBeWrittenIsAnError() throws {
        let pipe = try SmallPipe()
        let output = OutputHandle(descriptor: pipe.writer)
        try output.write("a")
        try output.checkReader()
        pipe.closeReader()
        #expect(throws: OutputError.closed) { try output.checkReader() }
        #expect(throws: OutputError.closed) { try output.write("b") }
        let full = unsafe open("/dev/full", O_WRONLY)
        defer { close(full) }
        #expect(throws: OutputError.failed(code: ENOSPC)) { try OutputHandle(descriptor: full).write("c") }
        #expect(throws: OutputError.failed(code: EBADF)) { try OutputHandle(descriptor: 9999).write("d") }
    }
}
