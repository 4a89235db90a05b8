internal import COpenSSL

/// The contents of this thread's error queue. OpenSSL's calls report errors through that queue, so it is cleared before
/// each of them and emptied after one that failed; a remaining entry would be attributed to the next connection of the
/// thread.
struct OpenSSLErrors {
    struct Entry {
        var library: Int32
        var reason: Int32
        var text: String
    }

    /// Oldest first; the first entry is the cause, later ones are its consequences.
    var entries: [Entry] = []

    static func take() -> OpenSSLErrors {
        var errors = OpenSSLErrors()
        while true {
            let code = ERR_get_error()
            guard code != 0 else { return errors }
            let library = ERR_GET_LIB(code)
            let reason = ERR_GET_REASON(code)
            let text = unsafe ERR_reason_error_string(code).map { unsafe String(cString: $0) }
            errors.entries.append(Entry(library: library, reason: reason, text: text ?? "OpenSSL error \(reason)"))
        }
    }

    func contains(_ reason: Int32) -> Bool {
        entries.contains { $0.library == ERR_LIB_SSL && $0.reason == reason }
    }

    /// OpenSSL's description of the cause.
    var text: String { entries.first?.text ?? "no reason given" }
}

extension OpenSSLErrors {
    /// The first alert that the peer sent.
    var alert: Int32? {
        let offset = SSL_AD_REASON_OFFSET
        return entries.first { $0.library == ERR_LIB_SSL && $0.reason > offset && $0.reason < offset + 256 }
            .map { $0.reason - offset }
    }

    /// The error of a failed handshake. A certificate rejected here is reported by the verification instead.
    func handshakeError() -> TLSError {
        if let alert { return Self.error(forAlert: alert) }
        let versions = [
            SSL_R_UNSUPPORTED_PROTOCOL, SSL_R_WRONG_SSL_VERSION, SSL_R_VERSION_TOO_LOW, SSL_R_VERSION_TOO_HIGH,
            SSL_R_NO_PROTOCOLS_AVAILABLE,
        ]
        if versions.contains(where: contains) { return .protocolVersion(text) }
        if contains(SSL_R_HTTP_REQUEST) || contains(SSL_R_HTTPS_PROXY_REQUEST) {
            return .handshake("the peer sent plain HTTP to a TLS port; it must use https")
        }
        let notTLS = [SSL_R_WRONG_VERSION_NUMBER, SSL_R_PACKET_LENGTH_TOO_LONG, SSL_R_BAD_PACKET_LENGTH]
        if notTLS.contains(where: contains) {
            return .handshake("the peer does not speak TLS; check the address and the port (\(text))")
        }
        if contains(SSL_R_PEER_DID_NOT_RETURN_A_CERTIFICATE) {
            return .handshake("the client sent no certificate, and this server requires one")
        }
        if contains(SSL_R_NO_SHARED_CIPHER) {
            return .handshake("no common cipher suite; forward-secret AEAD suites are required")
        }
        if contains(SSL_R_NO_APPLICATION_PROTOCOL) {
            return .handshake("no common application protocol (ALPN)")
        }
        let weak = [
            SSL_R_EE_KEY_TOO_SMALL, SSL_R_CA_KEY_TOO_SMALL, SSL_R_CA_MD_TOO_WEAK, SSL_R_DH_KEY_TOO_SMALL,
        ]
        if weak.contains(where: contains) { return .certificate(.weak, detail: text) }
        return .handshake(text)
    }

    /// The error of a failure after the handshake.
    func recordError() -> TLSError {
        if contains(SSL_R_UNEXPECTED_EOF_WHILE_READING) { return .truncated }
        if let alert { return Self.error(forAlert: alert) }
        return .brokenRecord(text)
    }

    private static func error(forAlert alert: Int32) -> TLSError {
        switch alert {
        case SSL_AD_PROTOCOL_VERSION: .protocolVersion("the peer rejected the offered versions")
        case SSL_AD_HANDSHAKE_FAILURE, SSL_AD_INSUFFICIENT_SECURITY:
            .handshake("the peer found no common cipher suite or certificate")
        case SSL_AD_NO_APPLICATION_PROTOCOL:
            .handshake("no common application protocol (ALPN)")
        default: .refusedByPeer(words(forAlert: alert))
        }
    }

    private static func words(forAlert alert: Int32) -> String {
        switch alert {
        case SSL_AD_UNKNOWN_CA: "it does not trust the authority of this side's certificate"
        case SSL_AD_CERTIFICATE_REQUIRED: "it requires a client certificate, and none was sent"
        case SSL_AD_BAD_CERTIFICATE, SSL_AD_UNSUPPORTED_CERTIFICATE, SSL_AD_CERTIFICATE_UNKNOWN:
            "it does not accept this side's certificate"
        case SSL_AD_CERTIFICATE_EXPIRED: "this side's certificate has expired, or the peer's clock is wrong"
        case SSL_AD_CERTIFICATE_REVOKED: "this side's certificate was revoked"
        case SSL_AD_ACCESS_DENIED: "it denies access"
        case SSL_AD_UNRECOGNIZED_NAME: "it does not serve the requested name"
        case SSL_AD_INTERNAL_ERROR: "it had an internal error"
        case SSL_AD_USER_CANCELLED: "it cancelled the handshake"
        default: unsafe "alert \(alert), " + String(cString: SSL_alert_desc_string_long(alert))
        }
    }
}
