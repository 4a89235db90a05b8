package import Foundation

/// The source of a program's standard input.
package enum ProgramInput: Sendable {
    case nothing
    /// These bytes, and then the end.
    case data(Data)
    /// The text that the test sends, until it closes the input.
    case pipe
}

/// The destination of a program's standard output or error.
package enum ProgramOutput: Sendable {
    case nothing
    /// Read continuously, and kept for the test.
    case collected
    /// Appended to a file.
    case file(String)
    /// A pipe that has no reader.
    case brokenPipe
    /// A descriptor of the test's own.
    case descriptor(Int32)
}

/// Both ends of a standard stream.
struct StreamEnds {
    /// The program's end; closed here after the start.
    let theirs: Int32
    /// The test's end of a pipe.
    private(set) var ours: Int32?
    private var isBorrowed = false

    init(_ input: ProgramInput) throws {
        switch input {
        case .nothing: theirs = try Self.open("/dev/null", O_RDONLY)
        case .data, .pipe:
            let (reading, writing) = try Self.pipe()
            (theirs, ours) = (reading, writing)
        }
    }

    init(_ output: ProgramOutput) throws {
        switch output {
        case .nothing: theirs = try Self.open("/dev/null", O_WRONLY)
        case .file(let path): theirs = try Self.open(path, O_WRONLY | O_APPEND | O_CREAT)
        case .descriptor(let descriptor): (theirs, isBorrowed) = (descriptor, true)
        case .collected:
            let (reading, writing) = try Self.pipe()
            (theirs, ours) = (writing, reading)
        case .brokenPipe:
            let (reading, writing) = try Self.pipe()
            close(reading)
            theirs = writing
        }
    }

    func closeTheirs() { if !isBorrowed { close(theirs) } }

    func closeOurs() { if let ours { close(ours) } }

    private static func open(_ path: String, _ flags: Int32) throws -> Int32 {
        let descriptor = unsafe Foundation.open(path, flags | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        return descriptor
    }

    private static func pipe() throws -> (reading: Int32, writing: Int32) {
        var ends: [Int32] = [-1, -1]
        guard unsafe Foundation.pipe(&ends) == 0 else {
            throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EMFILE)
        }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return (ends[0], ends[1])
    }
}
