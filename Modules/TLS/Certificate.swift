internal import COpenSSL

/// Owns one `X509`.
@safe
final class Certificate {
    let pointer: OpaquePointer

    init(owning pointer: OpaquePointer) {
        unsafe self.pointer = pointer
    }

    /// Reads the first certificate of the text.
    init?(pem: [UInt8]) {
        let certificate = unsafe PEMText.reading(pem) { bio in unsafe PEM_read_bio_X509(bio, nil, nil, nil) }
        ERR_clear_error()
        guard let certificate = unsafe certificate else { return nil }
        unsafe pointer = certificate
    }

    deinit {
        unsafe X509_free(pointer)
    }

    var isAuthority: Bool { unsafe X509_check_ca(pointer) == 1 }

    func belongs(to key: PrivateKey) -> Bool {
        defer { ERR_clear_error() }
        return unsafe X509_check_private_key(pointer, key.pointer) == 1
    }

    func pem() throws(TLSError) -> [UInt8] {
        let pem = unsafe PEMText.written { bio in unsafe PEM_write_bio_X509(bio, pointer) }
        guard let pem else { throw .configuration("a certificate cannot be written (\(OpenSSLErrors.take().text))") }
        return pem
    }
}
