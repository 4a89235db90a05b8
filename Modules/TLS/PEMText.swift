internal import COpenSSL

/// Conversions between PEM text and OpenSSL's objects.
enum PEMText {
    /// All bytes written to a memory BIO.
    static func contents(of bio: OpaquePointer) -> [UInt8] {
        var data: UnsafeMutablePointer<CChar>?
        let count = unsafe causeway_BIO_get_mem_data(bio, &data)
        guard count > 0, let data = unsafe data else { return [] }
        return unsafe Array(UnsafeRawBufferPointer(start: data, count: count))
    }

    /// Runs `body` on a new memory BIO and returns the bytes that it wrote; nil if it failed.
    static func written(_ body: (OpaquePointer) -> Int32) -> [UInt8]? {
        guard let bio = unsafe BIO_new(BIO_s_mem()) else { return nil }
        defer { unsafe BIO_free(bio) }
        guard unsafe body(bio) == 1 else { return nil }
        return unsafe contents(of: bio)
    }

    /// Runs `body` on a BIO that reads `bytes`.
    static func reading<Result>(_ bytes: [UInt8], _ body: (OpaquePointer) -> Result?) -> Result? {
        unsafe bytes.withUnsafeBytes { bytes in
            guard let count = Int32(exactly: bytes.count),
                let bio = unsafe BIO_new_mem_buf(bytes.baseAddress, count)
            else { return nil }
            defer { unsafe BIO_free(bio) }
            return unsafe body(bio)
        }
    }
}
