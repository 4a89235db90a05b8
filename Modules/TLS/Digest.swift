internal import COpenSSL

/// Digests and their comparison, using OpenSSL.
package enum Digest {
    /// The SHA-256 of the bytes: 32 bytes. For secrets of high entropy, such as random tokens; not for passwords.
    package static func sha256(_ bytes: some Sequence<UInt8>) -> [UInt8] {
        let input = Array(bytes)
        return unsafe [UInt8](unsafeUninitializedCapacity: Int(SHA256_DIGEST_LENGTH)) { output, count in
            _ = unsafe SHA256(input, input.count, output.baseAddress)
            count = Int(SHA256_DIGEST_LENGTH)
        }
    }

    /// The HMAC-SHA-256 (RFC 2104) of the bytes under a key: 32 bytes.
    package static func hmacSHA256(_ bytes: some Sequence<UInt8>, key: [UInt8]) -> [UInt8] {
        let input = Array(bytes)
        return unsafe [UInt8](unsafeUninitializedCapacity: Int(SHA256_DIGEST_LENGTH)) { output, count in
            _ = unsafe HMAC(
                EVP_sha256(), key, Int32(clamping: key.count), input, input.count, output.baseAddress, nil)
            count = Int(SHA256_DIGEST_LENGTH)
        }
    }

    /// Whether both are equal, in a time that depends only on the length. Different lengths are detected at once.
    package static func constantTimeEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        guard left.count == right.count else { return false }
        return unsafe CRYPTO_memcmp(left, right, left.count) == 0
    }
}
