package import CausewayControl
package import CausewayHTTPServer

/// What a status page is started with.
package struct StatusPageConfiguration: Sendable, Hashable {
    /// PEM files.
    package struct Identity: Sendable, Hashable {
        package var certificateChainPath: String
        package var privateKeyPath: String

        package init(certificateChainPath: String, privateKeyPath: String) {
            self.certificateChainPath = certificateChainPath
            self.privateKeyPath = privateKeyPath
        }
    }

    package var listen: ListenAddress
    /// The origins (`https://status.example:8585`) under which browsers reach the page, beside those of a loopback
    /// address; no other `Host` is answered.
    package var origins: [SiteOrigin]
    /// What people must know to see the page; needed beyond loopback.
    package var token: PageToken?
    /// TLS with this certificate; needed beyond loopback. Plain HTTP when `nil`.
    package var identity: Identity?
    /// Whether texts of messages are shown.
    package var showsBodies: Bool
    /// Whether everyone who reaches a page without a token may resend and delete; with one, a login always may.
    package var allowsChanges: Bool
    /// The daemon's socket, to be shown.
    package var socket: String
    package var connections: ConnectionLimits

    package init(
        listen: ListenAddress = ListenAddress(host: "127.0.0.1", port: 0), origins: [SiteOrigin] = [],
        token: PageToken? = nil, identity: Identity? = nil, showsBodies: Bool = false,
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

    /// Refuses what would show the outbox to others.
    ///
    /// Throws ``ControlError/Code/configuration``.
    package func check() throws(ControlError) {
        if !listen.isLoopback {
            guard identity != nil else {
                throw ControlError(
                    .configuration,
                    "\(listen) can be reached from other machines: that needs TLS; name --certificate and --key, or"
                        + " listen on 127.0.0.1")
            }
            guard token != nil else {
                throw ControlError(
                    .configuration,
                    "\(listen) can be reached from other machines: that needs a token; name --token-file, or listen on"
                        + " 127.0.0.1")
            }
            guard !origins.isEmpty else {
                throw ControlError(
                    .configuration,
                    "\(listen) needs the name under which browsers reach it: --origin https://this-host:\(listen.port)")
            }
        }
        if let origin = origins.first(where: { !$0.isSecure && (!$0.isLoopback || identity != nil) }) {
            throw ControlError(
                .configuration,
                "\(origin) would lead the token and the cookie over a connection that others can read: write https://,"
                    + " with a certificate here or in a proxy on this machine")
        }
        if let origin = origins.first(where: { !$0.isLoopback }), token == nil {
            throw ControlError(
                .configuration,
                "\(origin) is a name that others can reach: that needs a token; name --token-file")
        }
    }
}

extension ConnectionLimits {
    /// The numbers of `StatusPageLimits`.
    package static let statusPage = ConnectionLimits(
        headerFieldBytesMax: StatusPageLimits.headerBytesMax, headerListBytesMax: StatusPageLimits.headerBytesMax,
        headerFieldsMax: StatusPageLimits.headerFieldsMax, requestBytesMax: StatusPageLimits.formBytesMax,
        discardedBytesMax: StatusPageLimits.discardedBytesMax,
        pipelinedRequestsMax: StatusPageLimits.pipelinedRequestsMax, unsentBytesMax: StatusPageLimits.unsentBytesMax,
        firstHeader: .seconds(StatusPageLimits.firstHeaderSecondsMax), body: .seconds(StatusPageLimits.bodySecondsMax),
        answer: .seconds(StatusPageLimits.answerSecondsMax), idle: .seconds(StatusPageLimits.idleSecondsMax),
        // All come from this machine, or through one proxy.
        connectionsMax: StatusPageLimits.connectionsMax, connectionsPerPeerMax: StatusPageLimits.connectionsMax)
}
