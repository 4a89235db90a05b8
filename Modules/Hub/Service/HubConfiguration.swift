package import CausewayHTTPServer

/// What a hub is started with.
package struct HubConfiguration: Sendable, Hashable {
    package enum Security: Sendable, Hashable {
        /// PEM files.
        case tls(certificateChainPath: String, privateKeyPath: String)
        /// Plain HTTP; refused on an address that other machines reach.
        case plainOnLoopback
    }

    package var folder: DataFolder
    /// A name or an address to listen on.
    package var host: String
    /// 0 lets the system choose; `HubService.address()` tells which.
    package var port: Int
    package var security: Security
    package var limits = ConnectionLimits.hub
    /// How long it takes a peer that guesses tokens to earn one more attempt.
    package var attemptRefill: Duration = .seconds(HubLimits.failedAttemptSeconds)
    /// Open connections that one account has used.
    package var connectionsPerAccountMax = HubLimits.connectionsPerAccountMax
    /// Channels that one address makes at once.
    package var newChannelsPerPeerMax = HubLimits.newChannelsPerPeerMax
    /// Without a request for so long, the log of the database is emptied and memory is given back.
    package var rest: Duration = .seconds(HubLimits.restSeconds)

    package init(folder: DataFolder, host: String = "127.0.0.1", port: Int = 0, security: Security) {
        self.folder = folder
        self.host = host
        self.port = port
        self.security = security
    }

    /// TLS with the certificate that `HubSetup` made.
    package static func secure(_ folder: DataFolder, host: String = "127.0.0.1", port: Int = 0) -> HubConfiguration {
        HubConfiguration(
            folder: folder, host: host, port: port,
            security: .tls(certificateChainPath: folder.serverCertificate, privateKeyPath: folder.serverKey))
    }
}
