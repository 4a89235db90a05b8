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
    package var limits = ConnectionLimits()

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

    static func isLoopback(_ host: String) -> Bool {
        if host == "localhost" || host == "::1" { return true }
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
    }
}
