package import CausewayControlAPI
package import CausewayHTTPServer

/// The configuration of a status page.
package struct StatusPageConfiguration: Sendable, Hashable {
    /// The paths of the PEM files of a certificate and its key.
    package struct Identity: Sendable, Hashable {
        package var certificateChainPath: String
        package var privateKeyPath: String

        package init(certificateChainPath: String, privateKeyPath: String) {
            self.certificateChainPath = certificateChainPath
            self.privateKeyPath = privateKeyPath
        }
    }

    package var listen: ListenAddress
    /// The origins (`https://status.example:8585`) under which browsers reach the page, in addition to those of a
    /// loopback address; every other `Host` is refused.
    package var origins: [WebOrigin]
    /// The token that grants access to the page; required beyond loopback.
    package var token: AccessTokenDigest?
    /// The certificate for TLS; required beyond loopback. Plain HTTP when `nil`.
    package var identity: Identity?
    /// Whether message texts are shown.
    package var showsBodies: Bool
    /// Whether visitors of a page without a token may resend and delete; with a token, a login always may.
    package var allowsChanges: Bool
    /// The daemon's socket, shown on the page.
    package var socket: String
    package var connections: ConnectionLimits

    package init(
        listen: ListenAddress = ListenAddress(host: "127.0.0.1", port: 0), origins: [WebOrigin] = [],
        token: AccessTokenDigest? = nil, identity: Identity? = nil, showsBodies: Bool = false,
        allowsChanges: Bool = false, socket: String,
        connections: ConnectionLimits = .statusPage
    ) {
        self.listen = listen
        self.origins = origins
        self.token = token
        self.identity = identity
        self.showsBodies = showsBodies
        self.allowsChanges = allowsChanges
        self.socket = socket
        self.connections = connections
    }

    /// Refuses a configuration that would expose the outbox.
    ///
    /// Throws ``ControlError/Code/configuration``.
    package func check() throws(ControlError) {
        if !listen.isLoopback {
            guard identity != nil else {
                throw ControlError(
                    .configuration,
                    "\(listen) is reachable from other machines and needs TLS; set --certificate and --key, or"
                        + " listen on 127.0.0.1")
            }
            guard token != nil else {
                throw ControlError(
                    .configuration,
                    "\(listen) is reachable from other machines and needs a token; set --token-file, or listen on"
                        + " 127.0.0.1")
            }
            guard !origins.isEmpty else {
                throw ControlError(
                    .configuration,
                    "\(listen) needs the name that browsers use; set --origin https://this-host:\(listen.port)")
            }
        }
        if let origin = origins.first(where: { !$0.isSecure && (!$0.isLoopback || identity != nil) }) {
            throw ControlError(
                .configuration,
                "\(origin) would expose the token and the cookie in transit; write https://,"
                    + " with a certificate here or in a proxy on this machine")
        }
        if let origin = origins.first(where: { !$0.isLoopback }), token == nil {
            throw ControlError(
                .configuration,
                "\(origin) is reachable by others and needs a token; set --token-file")
        }
    }
}

extension ConnectionLimits {
    /// The limits of `StatusPageLimits`.
    package static let statusPage = ConnectionLimits(
        headerFieldBytesMax: StatusPageLimits.headerBytesMax, headerListBytesMax: StatusPageLimits.headerBytesMax,
        headerFieldsMax: StatusPageLimits.headerFieldsMax, requestBytesMax: StatusPageLimits.formBytesMax,
        discardedBytesMax: StatusPageLimits.discardedBytesMax,
        pipelinedRequestsMax: StatusPageLimits.pipelinedRequestsMax, unsentBytesMax: StatusPageLimits.unsentBytesMax,
        firstHeader: .seconds(StatusPageLimits.firstHeaderSecondsMax), body: .seconds(StatusPageLimits.bodySecondsMax),
        response: .seconds(StatusPageLimits.responseSecondsMax), idle: .seconds(StatusPageLimits.idleSecondsMax),
        // All connections come from this machine, or through one proxy.
        connectionsMax: StatusPageLimits.connectionsMax, connectionsPerPeerMax: StatusPageLimits.connectionsMax)
}
