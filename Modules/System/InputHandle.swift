#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// A descriptor for a program's input, unbuffered.
package struct InputHandle: Sendable, Hashable {
    package static let standardInput = InputHandle(descriptor: STDIN_FILENO)

    package let descriptor: Int32

    package init(descriptor: Int32) { self.descriptor = descriptor }

    /// Waits for input, and returns the available bytes, at most `countMax`; empty at the end.
    package func read(upTo countMax: Int) throws(SystemError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: countMax)
        while true {
            let size = unsafe bytes.withUnsafeMutableBytes { unsafe systemRead(descriptor, $0.baseAddress, $0.count) }
            if size >= 0 { return size == countMax ? bytes : Array(bytes.prefix(size)) }
            if errno != EINTR { throw .last }
        }
    }
}

/// The system's call, which the method of the same name hides.
private func systemRead(_ descriptor: Int32, _ buffer: UnsafeMutableRawPointer?, _ count: Int) -> Int {
    unsafe read(descriptor, buffer, count)
}
