internal import COpenSSL

/// The state shared by all connections of one client: trust, identity, and the sessions that may be resumed.
///
/// Expensive to create (it reads the trust store), so create one and keep it. Any thread.
package final class TLSClientContext: Sendable {
    let handle: TLSContextHandle
    let sessions = TLSSessionCache()
    let trustsSystem: Bool

    /// - Throws: `TLSError.configuration` if a file cannot be used.
    package init(_ configuration: TLSClientConfiguration) throws(TLSError) {
        handle = try TLSContextHandle(.client)
        switch configuration.trust {
        case .system:
            trustsSystem = true
            try handle.trustSystem()
        case .authorities(let path):
            trustsSystem = false
            try handle.trust(authoritiesPath: path)
        }
        if let identity = configuration.identity {
            try handle.useIdentity(
                certificateChainPath: identity.certificateChainPath, privateKeyPath: identity.privateKeyPath)
        }
        let protocols = try alpnWireFormat(configuration.applicationProtocols)
        let context = unsafe handle.pointer
        // This call, unlike its neighbours, returns 0 for success.
        if !protocols.isEmpty {
            let status = unsafe SSL_CTX_set_alpn_protos(context, protocols, UInt32(protocols.count))
            guard status == 0 else { throw .configuration("the application protocols cannot be set") }
        }
        unsafe SSL_CTX_set_verify(context, SSL_VERIFY_PEER, TLSConnection.verifyCallback)
        unsafe causeway_SSL_CTX_set_session_cache_mode(
            context, Int(SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL))
        unsafe SSL_CTX_sess_set_new_cb(context, TLSConnection.newSessionCallback)
    }

    /// Creates a handler for one connection to a server; add it to the channel's pipeline below all handlers of plain
    /// text.
    ///
    /// - Parameter serverName: a host name or an address of the server. Its certificate must be for this name.
    /// - Throws: `TLSError.configuration` for an invalid name.
    package func makeHandler(serverName: String) throws(TLSError) -> TLSHandler {
        let name = try ServerName(serverName)
        return TLSHandler(try TLSConnection(client: self, server: name))
    }
}
