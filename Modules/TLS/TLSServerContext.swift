internal import COpenSSL

/// The state shared by all connections of one server: its certificate, the accepted clients, the keys of its session
/// tickets.
///
/// Any thread. To change the certificate, create a new context for later connections.
package final class TLSServerContext: Sendable {
    let handle: TLSContextHandle
    let protocols: [[UInt8]]
    let ticketKeys: TicketKeys

    /// - Parameter now: the clock for the age of the tickets' keys.
    /// - Throws: `TLSError.configuration` if a file cannot be used.
    package init(
        _ configuration: TLSServerConfiguration, now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) throws(TLSError) {
        ticketKeys = TicketKeys(now: now)
        handle = try TLSContextHandle(.server)
        _ = try alpnWireFormat(configuration.applicationProtocols)
        protocols = configuration.applicationProtocols.map { Array($0.utf8) }
        try handle.useIdentity(
            certificateChainPath: configuration.certificateChainPath, privateKeyPath: configuration.privateKeyPath)
        let context = unsafe handle.pointer
        unsafe causeway_SSL_CTX_prefer_server_ciphers(context)
        if !protocols.isEmpty {
            unsafe SSL_CTX_set_alpn_select_cb(context, TLSConnection.selectProtocolCallback, nil)
        }

        // Sessions are stored in the clients' tickets; nothing grows here. The id restricts tickets to this kind of
        // server; OpenSSL requires one as soon as clients are verified.
        unsafe causeway_SSL_CTX_set_session_cache_mode(context, Int(SSL_SESS_CACHE_OFF))
        unsafe SSL_CTX_set_timeout(context, TLSLimits.sessionSecondsMax)
        let sessionID = Array("causeway".utf8)
        guard unsafe SSL_CTX_set_session_id_context(context, sessionID, UInt32(sessionID.count)) == 1 else {
            throw .configuration(OpenSSLErrors.take().text)
        }

        guard unsafe SSL_CTX_set_tlsext_ticket_key_evp_cb(context, TicketKeys.callback) == 1 else {
            throw .configuration(OpenSSLErrors.take().text)
        }

        guard let authorities = configuration.clientAuthorities else { return }
        try handle.trust(authoritiesPath: authorities)
        guard let names = unsafe SSL_load_client_CA_file(authorities) else {
            throw .configuration("the client authorities in \(authorities) cannot be read")
        }
        unsafe SSL_CTX_set_client_CA_list(context, names)
        unsafe SSL_CTX_set_verify(
            context, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, TLSConnection.verifyCallback)
    }

    /// Creates a handler for one accepted connection; add it to the channel's pipeline below all handlers of plain
    /// text.
    package func makeHandler() throws(TLSError) -> TLSHandler {
        TLSHandler(try TLSConnection(server: self))
    }
}
