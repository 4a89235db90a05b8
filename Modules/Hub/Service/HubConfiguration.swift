package import CausewayHTTPServer
package import CausewayHubRules
package import CausewayHubStorage
package import CausewayWebSocket
internal import CausewayWire

/// The configuration of a hub.
package struct HubConfiguration: Sendable, Hashable {
    /// Numbers of open sockets.
    package struct SocketCounts: Sendable, Hashable {
        package var total = HubLimits.socketsMax
        package var perAccount = HubLimits.socketsPerAccountMax
        package var perPeer = HubLimits.socketsPerPeerMax
    }

    package enum Security: Sendable, Hashable {
        /// The paths of the PEM files.
        case tls(certificateChainPath: String, privateKeyPath: String)
        /// Plain HTTP; refused on an address that other machines reach.
        case plainOnLoopback
    }

    package var folder: DataFolder
    /// A name or an address to listen on.
    package var host: String
    /// 0 lets the system choose; `HubService.address()` returns the actual port.
    package var port: Int
    package var security: Security
    package var limits = ConnectionLimits.hub
    /// How long it takes a peer that guesses tokens to earn one more attempt.
    package var attemptRefill: Duration = .seconds(HubLimits.failedAttemptSeconds)
    /// Open connections that one account has used.
    package var connectionsPerAccountMax = HubLimits.connectionsPerAccountMax
    /// How long a delivery that arrived before its predecessor waits for it.
    package var predecessorWait: Duration = HubLimits.predecessorWait
    /// Channels that one address creates in a burst, and how long it takes to earn one more.
    package var newChannelsPerPeerMax = HubLimits.newChannelsPerPeerMax
    package var newChannelRefill: Duration = .seconds(HubLimits.newChannelSeconds)
    /// The time without a write after which the database's log is emptied and memory is released.
    package var rest: Duration = .seconds(HubLimits.restSeconds)

    /// The limits of files.
    package var blobs = BlobLimits.hub
    /// The shortest wait after which a client that uploads can be too slow.
    package var uploadGraceSeconds = HubLimits.uploadGraceSeconds
    /// How often expired uploads and blobs are removed.
    package var expiry: Duration = .seconds(HubLimits.expirySeconds)
    /// How long the log is kept.
    package var retention = LogRetention()
    /// How many readers of events there can be.
    package var eventReaders = EventSubscriptions.Limits.hub
    /// The time between two signs of life of a stream of events.
    package var eventComment: Duration = .seconds(HubLimits.eventCommentSeconds)
    /// How often deadlines of readers, and commits of other processes, are looked for.
    package var eventCheck: Duration = .milliseconds(HubLimits.eventCheckMilliseconds)

    /// The limits of ephemeral events.
    package var ephemeral = EphemeralBoard.Limits.hub
    /// Typing signals of one account in a burst, and how long it takes to earn one more.
    package var typingSignalsMax = HubLimits.typingSignalsMax
    package var typingSignalRefill: Duration = .milliseconds(HubLimits.typingSignalMilliseconds)

    /// The limits of one socket.
    package var sockets = WebSocketLimits.hub
    /// How many sockets there can be: in all, of one account, of one address.
    package var socketCounts = SocketCounts()
    /// The time between two checks of a socket's token.
    package var socketCheck: Duration = .seconds(HubLimits.socketCheckSeconds)

    package init(folder: DataFolder, host: String = "127.0.0.1", port: Int = 0, security: Security) {
        self.folder = folder
        self.host = host
        self.port = port
        self.security = security
    }

    /// A hub with TLS and the certificate that `HubSetup` created.
    package static func secure(_ folder: DataFolder, host: String = "127.0.0.1", port: Int = 0) -> HubConfiguration {
        HubConfiguration(
            folder: folder, host: host, port: port,
            security: .tls(certificateChainPath: folder.serverCertificate, privateKeyPath: folder.serverKey))
    }

    /// Sets the limits of connections; those of sockets and of readers of events follow in the ratios of `HubLimits`,
    /// half of the connections in all and of an address, a quarter of those of an account. `nil` leaves one as it is.
    package mutating func setConnections(_ total: Int?, perAddress: Int?, perAccount: Int?) {
        if let total {
            limits.connectionsMax = total
            socketCounts.total = max(1, total / 2)
            eventReaders.readersMax = max(1, total / 2)
        }
        if let perAddress {
            limits.connectionsPerPeerMax = perAddress
            socketCounts.perPeer = max(1, perAddress / 2)
            eventReaders.perPeerMax = max(1, perAddress / 2)
        }
        if let perAccount {
            connectionsPerAccountMax = perAccount
            socketCounts.perAccount = max(1, perAccount / 4)
            eventReaders.perAccountMax = max(1, perAccount / 4)
        }
    }

    /// Splits `HOST:PORT`, with an IPv6 address in brackets.
    ///
    /// - Throws: `configuration`.
    package static func address(_ text: String) throws(HubError) -> (host: String, port: Int) {
        do throws(ListenAddress.Problem) {
            let address = try ListenAddress(text)
            return (address.host, address.port)
        } catch {
            let shown = text.prefix(64)
            switch error {
            case .malformed:
                throw .configuration("invalid address “\(shown)”; write HOST:PORT, as in 127.0.0.1:8443")
            case .noHost:
                throw .configuration("“\(shown)” has no host; write 0.0.0.0\(shown) for all addresses")
            }
        }
    }
}

extension WebSocketLimits {
    /// The limits of `HubLimits` and the contract.
    package static let hub: WebSocketLimits = {
        var limits = WebSocketLimits(messageBytesMax: WireSocket.requestBytesMax)
        limits.pingInterval = .seconds(HubLimits.socketPingSeconds)
        limits.write = .seconds(HubLimits.responseSecondsMax)
        return limits
    }()
}
