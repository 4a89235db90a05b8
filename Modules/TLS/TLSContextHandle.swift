internal import COpenSSL
internal import CausewaySystem

/// Owns one `SSL_CTX`, which is set up once and then only read.
///
/// The settings common to both sides are made here: versions, suites, groups, security level, no renegotiation.
@safe
final class TLSContextHandle: @unchecked Sendable {
    // Sendable because: the pointer never changes, everything that writes through it runs before `init` of the owning
    // context returns, and OpenSSL documents `SSL_new` and the reading of a shared `SSL_CTX` as thread-safe.
    let pointer: OpaquePointer

    enum Side {
        case client
        case server
    }

    /// Suites for TLS 1.2: forward secret and authenticated encryption, nothing else.
    static let cipherList = [
        "ECDHE-ECDSA-AES128-GCM-SHA256", "ECDHE-RSA-AES128-GCM-SHA256", "ECDHE-ECDSA-AES256-GCM-SHA384",
        "ECDHE-RSA-AES256-GCM-SHA384", "ECDHE-ECDSA-CHACHA20-POLY1305", "ECDHE-RSA-CHACHA20-POLY1305",
    ].joined(separator: ":")

    /// Suites for TLS 1.3.
    static let cipherSuites = "TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256"

    init(_ side: Side) throws(TLSError) {
        ERR_clear_error()
        let method = unsafe side == .client ? TLS_client_method() : TLS_server_method()
        guard let context = unsafe SSL_CTX_new(method) else {
            throw .configuration(OpenSSLErrors.take().text)
        }
        unsafe pointer = context
        unsafe SSL_CTX_set_security_level(context, 2)
        unsafe causeway_SSL_CTX_forbid_renegotiation_and_compression(context)
        unsafe causeway_SSL_CTX_set_mode(context, Int(SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER))
        unsafe SSL_CTX_set_verify_depth(context, TLSLimits.intermediateCertificatesMax)
        // A key that requires a password must fail here, not prompt at a terminal.
        unsafe SSL_CTX_set_default_passwd_cb(context) { _, _, _, _ in 0 }
        guard
            unsafe causeway_SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION) == 1,
            unsafe SSL_CTX_set_cipher_list(context, Self.cipherList) == 1,
            unsafe SSL_CTX_set_ciphersuites(context, Self.cipherSuites) == 1,
            unsafe causeway_SSL_CTX_set1_groups_list(context, "X25519:P-256:P-384") == 1
        else { throw .configuration(OpenSSLErrors.take().text) }
    }

    deinit {
        unsafe SSL_CTX_free(pointer)
    }

    func useIdentity(certificateChainPath: String, privateKeyPath: String) throws(TLSError) {
        if let problem = FileAccess.problem(ofSecretFile: privateKeyPath) {
            throw .configuration("the key file \(privateKeyPath) \(problem)")
        }
        ERR_clear_error()
        guard unsafe SSL_CTX_use_certificate_chain_file(pointer, certificateChainPath) == 1 else {
            throw .configuration(
                "the certificate file \(certificateChainPath) cannot be used (\(OpenSSLErrors.take().text)); "
                    + "it must be readable PEM, the own certificate first, RSA 2048 or P-256 and SHA-256 at least")
        }
        guard unsafe SSL_CTX_use_PrivateKey_file(pointer, privateKeyPath, SSL_FILETYPE_PEM) == 1 else {
            throw .configuration(
                "the key file \(privateKeyPath) cannot be used (\(OpenSSLErrors.take().text)); "
                    + "it must be readable PEM, not encrypted, and belong to \(certificateChainPath)")
        }
        guard unsafe SSL_CTX_check_private_key(pointer) == 1 else {
            throw .configuration("the key in \(privateKeyPath) does not belong to \(certificateChainPath)")
        }
    }

    func trustSystem() throws(TLSError) {
        ERR_clear_error()
        guard unsafe SSL_CTX_set_default_verify_paths(pointer) == 1 else {
            throw .configuration("the system's trusted authorities cannot be read (\(OpenSSLErrors.take().text))")
        }
    }

    func trust(authoritiesPath path: String) throws(TLSError) {
        ERR_clear_error()
        guard unsafe SSL_CTX_load_verify_file(pointer, path) == 1 else {
            throw .configuration(
                "the authorities in \(path) cannot be read (\(OpenSSLErrors.take().text)); "
                    + "it must be a readable PEM file with at least one certificate")
        }
    }
}

/// The names of application protocols as sent by ALPN: each preceded by its length (RFC 7301 §3.1).
func alpnWireFormat(_ names: [String]) throws(TLSError) -> [UInt8] {
    var wire: [UInt8] = []
    for name in names {
        guard let length = UInt8(exactly: name.utf8.count), length > 0 else {
            throw .configuration("the application protocol \"\(name)\" must have 1 to 255 bytes")
        }
        wire.append(length)
        wire.append(contentsOf: name.utf8)
    }
    guard wire.count <= Int(UInt16.max) else { throw .configuration("there are too many application protocols") }
    return wire
}
