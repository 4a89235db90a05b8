import Causeway
import CausewayConfiguration
package import CausewayDaemon
import CausewayFileStorage
import CausewayHTTPTransport
import CausewaySQLiteStorage
package import CausewayStorage
import CausewaySystem
import CausewayTLS

extension AdapterFactory {
    /// The store that the settings name; HTTP over TLS as the transport.
    package static var system: AdapterFactory {
        AdapterFactory(
            openStore: { settings throws(StoreError) in
                switch settings.storage {
                case .sqlite:
                    return try await SQLiteStore.open(at: settings.store, durability: settings.durability.guarantee)
                case .file:
                    return try await FileStore.open(at: settings.store, durability: settings.durability.guarantee)
                }
            },
            makeTransports: { settings, trust in
                var registry = TransportRegistry()
                registry.registerHTTP { address in
                    // Trust is configured for each server: each address has its own configuration.
                    HTTPTransportConfiguration(
                        tls: tls(for: address, settings, trust), userAgent: "causeway/\(ProgramVersion.text)")
                }
                return registry
            })
    }

    /// The kinds of stores on disk, for tools that work on a folder without opening its store.
    package static let storeFormats: [any StoreFormat] = [SQLiteFormat(), FileFormat()]

    /// The certificate settings of the login for this server; the program's settings for those that it left open.
    private static func tls(
        for address: String, _ settings: Settings, _ trust: any TrustStore
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
