package import CausewayControlAPI
import CausewayModels
import Synchronization

/// The authorities that a server's certificate is verified against, and the client certificate presented to it.
package struct TrustEntry: Sendable, Hashable, Codable {
    /// PEM text of the authorities; `nil` for the process's own setting, or the system's.
    package var authorities: String?
    /// Paths of the PEM files of the client certificate and its key.
    package var certificatePath: String?
    package var keyPath: String?

    package init(authorities: String? = nil, certificatePath: String? = nil, keyPath: String? = nil) {
        self.authorities = authorities
        self.certificatePath = certificatePath
        self.keyPath = keyPath
    }

    package init(_ request: LoginRequest) {
        self.init(
            authorities: request.authorities, certificatePath: request.certificatePath, keyPath: request.keyPath)
    }
}

/// Stores the certificate settings of each login by server, because the next start knows only the server's address.
package protocol TrustStore: Sendable {
    func entry(for server: String) -> TrustEntry?
    /// Replaces the entry; removes it when `nil` or empty.
    func keep(_ entry: TrustEntry?, for server: String) throws(ControlError)
    /// The path of the file with the server's authorities; `nil` when it has none of its own.
    func authoritiesFile(for server: String) -> String?
}

/// Stores the entries in memory, for the lifetime of the process.
package final class MemoryTrustStore: TrustStore {
    private let entries = Mutex<[String: TrustEntry]>([:])

    package init() {}

    package func entry(for server: String) -> TrustEntry? { entries.withLock { $0[server] } }

    package func keep(_ entry: TrustEntry?, for server: String) throws(ControlError) {
        entries.withLock { $0[server] = entry }
    }

    package func authoritiesFile(for server: String) -> String? { nil }
}
