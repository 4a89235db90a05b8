import Causeway
import Synchronization

/// What a server's certificate is held against, and what we show it.
package struct TrustEntry: Sendable, Hashable, Codable {
    /// PEM text of the authorities; the process's own setting, or the system's, when `nil`.
    package var authorities: String?
    /// PEM files of our own certificate and key.
    package var certificatePath: String?
    package var keyPath: String?

    package init(authorities: String? = nil, certificatePath: String? = nil, keyPath: String? = nil) {
        self.authorities = authorities
        self.certificatePath = certificatePath
        self.keyPath = keyPath
    }

    init(_ request: LoginRequest) {
        self.init(
            authorities: request.authorities, certificatePath: request.certificatePath, keyPath: request.keyPath)
    }
}

/// Remembers, for each server, what the login said about its certificate: the next start has only the address.
package protocol TrustKeeper: Sendable {
    func entry(for server: String) -> TrustEntry?
    /// Replaces the entry; removes it when `nil` or empty.
    func keep(_ entry: TrustEntry?, for server: String) throws(ControlError)
    /// The file that holds the server's authorities; `nil` when there are none of its own.
    func authoritiesFile(for server: String) -> String?
}

/// Remembers for as long as the process lives.
package final class MemoryTrustKeeper: TrustKeeper {
    private let entries = Mutex<[String: TrustEntry]>([:])

    package init() {}

    package func entry(for server: String) -> TrustEntry? { entries.withLock { $0[server] } }

    package func keep(_ entry: TrustEntry?, for server: String) throws(ControlError) {
        entries.withLock { $0[server] = entry }
    }

    package func authoritiesFile(for server: String) -> String? { nil }
}
