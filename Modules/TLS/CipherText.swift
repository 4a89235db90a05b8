internal import COpenSSL
internal import NIOCore

/// The cipher text of one connection, in both directions: a BIO through which OpenSSL reads received bytes where the
/// channel has put them, and writes to the buffer that will be sent.
///
/// OpenSSL's own BIO in memory copies every byte once more, and keeps as much memory as it ever needed.
@safe
final class CipherText {
    /// In order; none of them is empty.
    private var input = CircularBuffer<ByteBuffer>(initialCapacity: 1)
    private var output = ByteBuffer()

    /// A BIO that uses these bytes; the caller frees it, or passes it on. This object must live longer.
    func makeBIO() -> OpaquePointer? {
        guard let method = unsafe CipherTextMethod.shared.pointer, let bio = unsafe BIO_new(method) else { return nil }
        unsafe BIO_set_data(bio, Unmanaged.passUnretained(self).toOpaque())
        unsafe BIO_set_init(bio, 1)
        return unsafe bio
    }

    // MARK: - The channel's side

    /// Received bytes that OpenSSL has not read yet.
    private(set) var inputBytes = 0

    func feed(_ bytes: ByteBuffer) {
        guard bytes.readableBytes > 0 else { return }
        inputBytes += bytes.readableBytes
        input.append(bytes)
    }

    /// Removes and returns the bytes to be sent; nil if there are none.
    func takeOutput() -> ByteBuffer? {
        guard output.readableBytes > 0 else { return nil }
        defer { output = ByteBuffer() }
        return output
    }

    /// Makes room for as much output, in one piece. Costs nothing if there is enough.
    func reserveOutput(_ bytes: Int) { output.reserveCapacity(minimumWritableBytes: bytes) }

    // MARK: - OpenSSL's side

    /// Moves received bytes to this memory. Returns their number; 0 if there are none.
    fileprivate func read(into target: UnsafeMutableRawBufferPointer) -> Int {
        guard !input.isEmpty else { return 0 }
        let first = input.startIndex
        let count = unsafe input[first].readWithUnsafeReadableBytes { bytes in
            let part = unsafe bytes.prefix(target.count)
            unsafe target.copyMemory(from: UnsafeRawBufferPointer(rebasing: part))
            return unsafe part.count
        }
        inputBytes -= count
        if input[first].readableBytes == 0 { input.removeFirst() }
        return count
    }

    fileprivate func write(_ bytes: UnsafeRawBufferPointer) { unsafe output.writeBytes(bytes) }

    fileprivate static func of(_ bio: OpaquePointer?) -> CipherText? {
        guard let bio = unsafe bio, let data = unsafe BIO_get_data(bio) else { return nil }
        return unsafe Unmanaged<CipherText>.fromOpaque(data).takeUnretainedValue()
    }
}

/// The functions of such a BIO.
@safe
private struct CipherTextMethod: @unchecked Sendable {
    // Sendable because: it is complete before `shared` can be read, and is neither changed nor freed after that;
    // OpenSSL only reads it.
    let pointer: OpaquePointer?

    static let shared = CipherTextMethod()

    private init() {
        unsafe pointer = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "cipher text")
        guard let pointer = unsafe pointer else { return }
        unsafe BIO_meth_set_read(pointer, Self.read)
        unsafe BIO_meth_set_write(pointer, Self.write)
        unsafe BIO_meth_set_ctrl(pointer, Self.control)
    }

    private static let read: @convention(c) (OpaquePointer?, UnsafeMutablePointer<CChar>?, Int32) -> Int32 = {
        bio, target, size in
        guard let text = unsafe CipherText.of(bio), let target = unsafe target, size > 0 else { return 0 }
        unsafe BIO_clear_flags(bio, BIO_FLAGS_READ | BIO_FLAGS_SHOULD_RETRY)
        let count = unsafe text.read(into: UnsafeMutableRawBufferPointer(start: target, count: Int(size)))
        guard count == 0 else { return Int32(count) }
        // More comes later: this is not the end.
        unsafe BIO_set_flags(bio, BIO_FLAGS_READ | BIO_FLAGS_SHOULD_RETRY)
        return -1
    }

    private static let write: @convention(c) (OpaquePointer?, UnsafePointer<CChar>?, Int32) -> Int32 = {
        bio, source, size in
        guard let text = unsafe CipherText.of(bio), let source = unsafe source, size > 0 else { return 0 }
        unsafe text.write(UnsafeRawBufferPointer(start: source, count: Int(size)))
        return size
    }

    /// A flush has nothing to do, and succeeds. No other request of OpenSSL needs an answer.
    private static let control: @convention(c) (OpaquePointer?, Int32, Int, UnsafeMutableRawPointer?) -> Int = {
        _, command, _, _ in
        command == BIO_CTRL_FLUSH ? 1 : 0
    }
}
