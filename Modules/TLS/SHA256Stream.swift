internal import COpenSSL

/// The SHA-256 of bytes that arrive in parts. One owner; of constant size.
@safe
package struct SHA256Stream: ~Copyable {
    private let context: OpaquePointer

    package init() {
        guard let context = unsafe EVP_MD_CTX_new(), unsafe EVP_DigestInit_ex(context, EVP_sha256(), nil) == 1 else {
            preconditionFailure("OpenSSL has no SHA-256, or no memory is left.")
        }
        unsafe self.context = context
    }

    deinit { unsafe EVP_MD_CTX_free(context) }

    package mutating func update(_ bytes: [UInt8]) {
        let result = unsafe bytes.withUnsafeBytes { unsafe EVP_DigestUpdate(context, $0.baseAddress, $0.count) }
        precondition(result == 1, "OpenSSL hashes bytes without failing.")
    }

    /// The digest of all bytes so far: 32 bytes. More bytes may follow.
    package borrowing func digest() -> [UInt8] {
        guard let copy = unsafe EVP_MD_CTX_new(), unsafe EVP_MD_CTX_copy_ex(copy, context) == 1 else {
            preconditionFailure("OpenSSL has no memory left.")
        }
        defer { unsafe EVP_MD_CTX_free(copy) }
        return unsafe [UInt8](unsafeUninitializedCapacity: Int(SHA256_DIGEST_LENGTH)) { output, count in
            precondition(
                unsafe EVP_DigestFinal_ex(copy, output.baseAddress, nil) == 1, "OpenSSL hashes without failing.")
            count = Int(SHA256_DIGEST_LENGTH)
        }
    }
}
