internal import COpenSSL
internal import NIOCore

/// One `SSL`: cipher text is fed in and taken out, plain text is read and written. Independent of channels. Used from
/// one event loop only.
@safe
final class TLSConnection {
    enum Role {
        case client(TLSClientContext, ServerName)
        case server(TLSServerContext)
    }

    enum HandshakeStep {
        case complete
        case needsInput
        case failed(TLSError)
    }

    enum ReadStep {
        /// The number of bytes that were appended.
        case bytes(Int)
        case needsInput
        /// The peer has ended its data (`close_notify`).
        case ended
        case failed(TLSError)
    }

    /// Keeps the contexts alive that the callbacks use.
    let role: Role
    private let ssl: OpaquePointer
    /// The other end of `ssl`.
    private let cipherText: CipherText
    /// The first problem found by the verification; set by the callback during `handshake`.
    var verificationFailure: (problem: CertificateProblem, detail: String)?

    convenience init(client context: TLSClientContext, server name: ServerName) throws(TLSError) {
        try self.init(role: .client(context, name), context: context.handle)
        try prepareClient(name, sessions: context.sessions)
    }

    convenience init(server context: TLSServerContext) throws(TLSError) {
        try self.init(role: .server(context), context: context.handle)
        unsafe SSL_set_accept_state(ssl)
    }

    private init(role: Role, context: TLSContextHandle) throws(TLSError) {
        ERR_clear_error()
        guard let ssl = unsafe SSL_new(context.pointer) else {
            throw .configuration(OpenSSLErrors.take().text)
        }
        let cipherText = CipherText()
        guard let bio = unsafe cipherText.makeBIO() else {
            unsafe SSL_free(ssl)
            throw .configuration(OpenSSLErrors.take().text)
        }
        self.role = role
        unsafe self.ssl = ssl
        self.cipherText = cipherText
        unsafe SSL_set_bio(ssl, bio, bio)
        _ = unsafe causeway_SSL_set_app_data(ssl, Unmanaged.passUnretained(self).toOpaque())
    }

    deinit {
        // A connection that was cut does not invalidate its session (RFC 4346 §7.2.1), but OpenSSL assumes so by
        // default. After a fatal error it has removed the session itself.
        unsafe SSL_set_shutdown(ssl, SSL_SENT_SHUTDOWN | SSL_RECEIVED_SHUTDOWN)
        // The callbacks' references to this object and to the cipher text end with the `SSL`.
        unsafe SSL_free(ssl)
        ERR_clear_error()
    }

    private func prepareClient(_ name: ServerName, sessions: TLSSessionCache) throws(TLSError) {
        unsafe SSL_set_connect_state(ssl)
        try unsafe name.requireCertificate(on: ssl)
        if let session = sessions.take(for: name.text) {
            // A session that cannot be set costs a full handshake, nothing more.
            _ = unsafe SSL_set_session(ssl, session.pointer)
        }
    }

    // MARK: Cipher text

    /// Takes received bytes.
    func feed(_ bytes: ByteBuffer) { cipherText.feed(bytes) }

    /// The number of bytes fed that have not been processed yet.
    var inputBytes: Int { cipherText.inputBytes + (unsafe Int(SSL_pending(ssl))) }

    /// Removes and returns the bytes to be sent; nil if there are none.
    func takeOutput() -> ByteBuffer? { cipherText.takeOutput() }

    // MARK: Steps

    func handshake() -> HandshakeStep {
        ERR_clear_error()
        let result = unsafe SSL_do_handshake(ssl)
        if result == 1 { return verified() }
        switch unsafe SSL_get_error(ssl, result) {
        case SSL_ERROR_WANT_READ, SSL_ERROR_WANT_WRITE:
            return .needsInput
        default:
            return .failed(failedHandshake())
        }
    }

    /// A final check, in case the callback could be bypassed: a resumed session carries the verdict of the first.
    private func verified() -> HandshakeStep {
        guard case .client = role else { return .complete }
        let verdict = unsafe SSL_get_verify_result(ssl)
        guard verdict == Int(X509_V_OK), peerCertificateSubject != nil else {
            return .failed(.certificate(.other, detail: "the server was not verified, code \(verdict)"))
        }
        return .complete
    }

    private func failedHandshake() -> TLSError {
        let errors = OpenSSLErrors.take()
        if case .client(let context, let name) = role { context.sessions.removeAll(for: name.text) }
        if let failure = verificationFailure { return .certificate(failure.problem, detail: failure.detail) }
        return errors.handshakeError()
    }

    /// Appends at most `limit` bytes of plain text.
    func read(into buffer: inout ByteBuffer, limit: Int) -> ReadStep {
        ERR_clear_error()
        var result: Int32 = 0
        unsafe buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: limit) { bytes in
            result = unsafe SSL_read(ssl, bytes.baseAddress, Int32(limit))
            return max(0, Int(result))
        }
        if result > 0 { return .bytes(Int(result)) }
        switch unsafe SSL_get_error(ssl, result) {
        case SSL_ERROR_WANT_READ, SSL_ERROR_WANT_WRITE:
            return .needsInput
        case SSL_ERROR_ZERO_RETURN:
            return .ended
        default:
            let errors = OpenSSLErrors.take()
            // With TLS 1.3 the server's verdict on our certificate arrives here.
            if let failure = verificationFailure {
                return .failed(.certificate(failure.problem, detail: failure.detail))
            }
            return .failed(errors.recordError())
        }
    }

    /// Encrypts all of the bytes, at least one and at most `sealBytesMax`.
    func write(_ bytes: UnsafeRawBufferPointer) -> TLSError? {
        ERR_clear_error()
        cipherText.reserveOutput(
            bytes.count + TLSLimits.recordOverheadBytesMax * (1 + bytes.count / TLSLimits.recordBytesMax))
        let result = unsafe SSL_write(ssl, bytes.baseAddress, Int32(bytes.count))
        // Everything is accepted, and without partial writes the result is all of it.
        if Int(result) == bytes.count { return nil }
        return OpenSSLErrors.take().recordError()
    }

    /// Sends the end of this side's data (`close_notify`). Reading continues.
    func end() {
        ERR_clear_error()
        // Not allowed, and not needed, during a handshake.
        guard unsafe SSL_in_init(ssl) == 0 else { return }
        if unsafe SSL_shutdown(ssl) < 0 { _ = OpenSSLErrors.take() }
    }

    // MARK: Results

    var completed: TLSHandshakeCompleted {
        TLSHandshakeCompleted(
            negotiatedProtocol: negotiatedProtocol,
            protocolVersion: unsafe String(cString: SSL_get_version(ssl)),
            resumed: unsafe SSL_session_reused(ssl) == 1,
            peerCertificateSubject: peerCertificateSubject,
            serverName: unsafe SSL_get_servername(ssl, TLSEXT_NAMETYPE_host_name).map { unsafe String(cString: $0) })
    }

    private var negotiatedProtocol: String? {
        var name: UnsafePointer<UInt8>?
        var count: UInt32 = 0
        unsafe SSL_get0_alpn_selected(ssl, &name, &count)
        guard let name = unsafe name, count > 0 else { return nil }
        return unsafe String(decoding: UnsafeBufferPointer(start: name, count: Int(count)), as: UTF8.self)
    }

    private var peerCertificateSubject: String? {
        guard let certificate = unsafe SSL_get0_peer_certificate(ssl) else { return nil }
        return unsafe CertificateText.subject(certificate)
    }
}

// MARK: - Callbacks from OpenSSL, on the event loop that called into it

extension TLSConnection {
    static func of(_ ssl: OpaquePointer?) -> TLSConnection? {
        guard let ssl = unsafe ssl, let data = unsafe causeway_SSL_get_app_data(ssl) else { return nil }
        return unsafe Unmanaged<TLSConnection>.fromOpaque(data).takeUnretainedValue()
    }

    /// Stores a session that the server issues. Returns 1 if it took ownership of the reference.
    static let newSessionCallback: @convention(c) (OpaquePointer?, OpaquePointer?) -> Int32 = { ssl, session in
        guard let connection = unsafe TLSConnection.of(ssl), let session = unsafe session,
            case .client(let context, let name) = connection.role
        else { return 0 }
        context.sessions.store(unsafe TLSSession(owning: session), for: name.text)
        return 1
    }

    /// Selects the first of the server's protocols that the client offers; without a common one the handshake fails
    /// (RFC 7301 §3.2).
    static let selectProtocolCallback:
        @convention(c) (
            OpaquePointer?, UnsafeMutablePointer<UnsafePointer<UInt8>?>?, UnsafeMutablePointer<UInt8>?,
            UnsafePointer<UInt8>?, UInt32, UnsafeMutableRawPointer?
        ) -> Int32 = { ssl, chosen, chosenCount, offered, offeredCount, _ in
            guard let connection = unsafe TLSConnection.of(ssl), case .server(let context) = connection.role,
                let offered = unsafe offered
            else { return SSL_TLSEXT_ERR_ALERT_FATAL }
            let offer = unsafe UnsafeBufferPointer(start: offered, count: Int(offeredCount))
            for wanted in context.protocols {
                var index = 0
                while index < offer.count {
                    let start = index + 1
                    let end = unsafe start + Int(offer[index])
                    guard end <= offer.count else { return SSL_TLSEXT_ERR_ALERT_FATAL }
                    if unsafe offer[start..<end].elementsEqual(wanted) {
                        // OpenSSL copies it before the client's message is released.
                        unsafe chosen?.pointee = offered + start
                        unsafe chosenCount?.pointee = UInt8(end - start)
                        return SSL_TLSEXT_ERR_OK
                    }
                    index = end
                }
            }
            return SSL_TLSEXT_ERR_ALERT_FATAL
        }
}
