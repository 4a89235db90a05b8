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
///
/// A login proposes its settings first, connects with them, and stores them when the server has accepted it. One that
/// fails, or whose process ends meanwhile, leaves the stored settings as they were.
package protocol TrustStore: Sendable {
    /// The entry that was proposed for the server, otherwise the stored one.
    func entry(for server: String) -> TrustEntry?
    /// The path of the file with the authorities of that entry; `nil` when it has none.
    func authoritiesFile(for server: String) -> String?
    /// Uses an entry for the server without storing it, in place of any other proposal, until ``withdraw()``.
    ///
    /// Throws the errors of ``keep(_:for:)``, as far as they can be foreseen.
    func propose(_ entry: TrustEntry, for server: String) throws(ControlError)
    /// Uses the stored entries again; does nothing without a proposal.
    func withdraw()
    /// Replaces the stored entry; removes it when `nil` or empty.
    func keep(_ entry: TrustEntry?, for server: String) throws(ControlError)
}

/// The entry of a login that is under way.
struct TrustProposal: Sendable {
    let server: String
    /// `nil` when it is empty.
    let entry: TrustEntry?

    init(_ entry: TrustEntry, for server: String) {
        self.server = ServerAddress.canonical(server)
        self.entry = entry == TrustEntry() ? nil : entry
    }

    func concerns(_ server: String) -> Bool { ServerAddress.canonical(server) == self.server }
}

/// Stores the entries in memory, for the lifetime of the process.
package final class MemoryTrustStore: TrustStore {
    private struct State {
        var entries: [String: TrustEntry] = [:]
        var proposal: TrustProposal?
    }

    private let state = Mutex(State())

    package init() {}

    package func entry(for server: String) -> TrustEntry? {
        state.withLock { state in
            if let proposal = state.proposal, proposal.concerns(server) { return proposal.entry }
            return state.entries[server]
        }
    }

    package func propose(_ entry: TrustEntry, for server: String) throws(ControlError) {
        state.withLock { $0.proposal = TrustProposal(entry, for: server) }
    }

    package func withdraw() { state.withLock { $0.proposal = nil } }

    package func keep(_ entry: TrustEntry?, for server: String) throws(ControlError) {
        state.withLock { $0.entries[server] = entry }
    }

    package func authoritiesFile(for server: String) -> String? { nil }
}
