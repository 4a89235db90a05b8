import Causeway
package import CausewayControl
import CausewayHTTPTransport
import CausewaySQLiteStorage
import CausewayTLS

extension LocalAdapters {
    /// SQLite for the store; HTTP over TLS for the way to the server.
    package static var system: LocalAdapters {
        LocalAdapters(
            openStore: { folder, durability throws(StoreError) in
                try await SQLiteStore.open(at: folder, durability: durability == .full ? .full : .normal)
            },
            makeTransports: { settings, trust in
                var registry = TransportRegistry()
                for scheme in ["https", "http"] {
                    registry.register(scheme) { address, token throws(TransportError) in
                        // What is trusted is the server's own matter: each address has its configuration.
                        let tls = tls(for: address, settings, trust)
                        var own = TransportRegistry()
                        own.registerHTTP(
                            HTTPTransportConfiguration(tls: tls, userAgent: "causeway/\(ProgramVersion.text)"))
                        return try own.makeTransport(to: address, token: token)
                    }
                }
                return registry
            })
    }

    /// What the login said of this server; the settings for what it left open.
    private static func tls(
        for address: String, _ settings: Settings, _ trust: any TrustKeeper
    ) -> TLSClientConfiguration {
        let entry = trust.entry(for: address)
        let authorities = trust.authoritiesFile(for: address) ?? settings.ca
        let certificate = entry?.certificatePath ?? settings.clientCertificate
        let key = entry?.keyPath ?? settings.clientKey
        var configuration = TLSClientConfiguration(trust: authorities.map { .authorities(path: $0) } ?? .system)
        if let certificate, let key {
            configuration.identity = TLSClientConfiguration.Identity(
                certificateChainPath: certificate, privateKeyPath: key)
        }
        return configuration
    }
}
