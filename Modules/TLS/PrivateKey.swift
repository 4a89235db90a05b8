internal import COpenSSL

/// Owns one `EVP_PKEY`.
@safe
final class PrivateKey {
    let pointer: OpaquePointer

    init(_ kind: CertificateOptions.Key) throws(TLSError) {
        ERR_clear_error()
        let key =
            switch kind {
            case .p256: unsafe causeway_generate_p256()
            case .rsa(let bits): unsafe causeway_generate_rsa(UInt32(clamping: bits))
            }
        guard let key = unsafe key else {
            throw .configuration("a key cannot be made (\(OpenSSLErrors.take().text))")
        }
        unsafe pointer = key
    }

    /// Nil if the text is not a PEM key, or an encrypted one: there is no prompt for a password.
    init?(pem: [UInt8]) {
        let key = unsafe PEMText.reading(pem) { bio in
            unsafe PEM_read_bio_PrivateKey(bio, nil, { _, _, _, _ in 0 }, nil)
        }
        ERR_clear_error()
        guard let key = unsafe key else { return nil }
        unsafe pointer = key
    }

    deinit {
        unsafe EVP_PKEY_free(pointer)
    }

    /// PKCS #8, not encrypted.
    func pem() throws(TLSError) -> [UInt8] {
        let pem = unsafe PEMText.written { bio in
            unsafe PEM_write_bio_PKCS8PrivateKey(bio, pointer, nil, nil, 0, nil, nil)
        }
        guard let pem else { throw .configuration("a key cannot be written (\(OpenSSLErrors.take().text))") }
        return pem
    }
}
