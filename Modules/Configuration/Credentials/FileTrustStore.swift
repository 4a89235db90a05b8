package import CausewayControlAPI
import CausewayModels
import CausewaySystem
import Foundation
import Synchronization

/// Stores the entries in the file `servers.json` beside the store, and the authorities in PEM files next to it, because
/// the file named at the login may be gone at the next start. The authorities of a proposal are in a file of their own:
/// those of the stored entry remain in theirs.
package final class FileTrustStore: TrustStore {
    private struct Content: Codable {
        var servers: [String: TrustEntry] = [:]

        /// The spelling under which the server is stored; the given one when it is not.
        func spelling(of server: String) -> String {
            let canonical = ServerAddress.canonical(server)
            return servers.keys.sorted().first { ServerAddress.canonical($0) == canonical } ?? server
        }
    }

    private let folder: String
    private let content: Mutex<Content>
    private let proposal = Mutex<TrustProposal?>(nil)
    private let bytesMax: Int

    /// - Parameters:
    ///   - folder: the store's folder.
    ///   - bytesMax: the largest file with the entries of all servers.
    ///
    /// Throws ``ControlError/Code/storeNotAccessible`` when the file exists and cannot be read, and
    /// ``ControlError/Code/storeUnusable`` when it is not valid JSON.
    package init(folder: String, bytesMax: Int = ConfigurationLimits.trustBytesMax) throws(ControlError) {
        self.folder = folder
        self.bytesMax = bytesMax
        let file = Self.file(in: folder)
        let data: [UInt8]?
        do throws(PrivateFile.Problem) {
            data = try file.read(bytesMax: bytesMax)
        } catch {
            throw ControlError(.storeNotAccessible, error.description)
        }
        guard let data else {
            content = Mutex(Content())
            return
        }
        do throws(ControlError) {
            content = Mutex(try ControlJSON.decode(Content.self, from: Data(data), what: file.path))
        } catch {
            throw ControlError(.storeUnusable, error.detail)
        }
    }

    package func entry(for server: String) -> TrustEntry? {
        if let proposal = currentProposal(for: server) { return proposal.entry }
        return content.withLock { $0.servers[$0.spelling(of: server)] }
    }

    private func currentProposal(for server: String) -> TrustProposal? {
        proposal.withLock { $0.flatMap { $0.concerns(server) ? $0 : nil } }
    }

    package func propose(_ entry: TrustEntry, for server: String) throws(ControlError) {
        withdraw()
        let new = TrustProposal(entry, for: server)
        if new.entry != nil {
            var content = content.withLock { $0 }
            let server = content.spelling(of: server)
            content.servers[server] = new.entry
            try check(try ControlJSON.encode(content), for: server, hasAuthorities: new.entry?.authorities != nil)
        }
        if let text = new.entry?.authorities {
            do throws(PrivateFile.Problem) {
                try proposedAuthorities.write(Array(text.utf8))
            } catch {
                throw Self.failure(error)
            }
        }
        proposal.withLock { $0 = new }
    }

    package func withdraw() {
        let former = proposal.withLock { proposal -> TrustProposal? in
            defer { proposal = nil }
            return proposal
        }
        // One that cannot be removed does no harm: no entry names it.
        if former?.entry?.authorities != nil { try? proposedAuthorities.remove() }
    }

    package func keep(_ entry: TrustEntry?, for server: String) throws(ControlError) {
        let entry = entry == TrustEntry() ? nil : entry
        try content.withLock { content throws(ControlError) in
            let server = content.spelling(of: server)
            guard content.servers[server] != entry else { return }
            var new = content
            new.servers[server] = entry
            let data = try ControlJSON.encode(new)
            if entry != nil { try check(data, for: server, hasAuthorities: entry?.authorities != nil) }
            let former = content.servers[server]?.authorities
            let authorities = PrivateFile(path: authoritiesPath(for: server))
            do throws(PrivateFile.Problem) {
                if let text = entry?.authorities { try authorities.write(Array(text.utf8)) }
                try Self.file(in: folder).write(Array(data))
            } catch {
                // The former entry remains, and needs its own authorities.
                if entry?.authorities != nil { Self.putBack(former, to: authorities) }
                throw Self.failure(error)
            }
            content = new
            // Last: no entry names it any more, and one that cannot be removed does no harm.
            if former != nil, entry?.authorities == nil { try? authorities.remove() }
        }
    }

    private static func failure(_ error: PrivateFile.Problem) -> ControlError {
        ControlError(error.isFull ? .storeFull : .storeNotAccessible, error.description)
    }

    /// As far as the disk allows it.
    private static func putBack(_ former: String?, to file: PrivateFile) {
        if let former { try? file.write(Array(former.utf8)) } else { try? file.remove() }
    }

    package func authoritiesFile(for server: String) -> String? {
        if let proposal = currentProposal(for: server) {
            return proposal.entry?.authorities == nil ? nil : proposedAuthorities.path
        }
        return content.withLock { content in
            let spelling = content.spelling(of: server)
            return content.servers[spelling]?.authorities == nil ? nil : authoritiesPath(for: spelling)
        }
    }

    /// Refuses entries that could not be read again, and a file that another server might have as well.
    private func check(_ data: Data, for server: String, hasAuthorities: Bool) throws(ControlError) {
        guard data.count <= bytesMax else {
            throw ControlError(
                .tooLarge,
                "the certificates of all servers would have more than \(bytesMax) bytes; use fewer of them, or log in "
                    + "to one of the servers without --ca first")
        }
        guard !hasAuthorities || Self.letters(of: server).count <= ConfigurationLimits.trustNameBytesMax else {
            throw ControlError(
                .badRequest, "the server's address is too long for authorities of its own (--ca); use a shorter one")
        }
    }

    private static func file(in folder: String) -> PrivateFile { PrivateFile(path: folder + "/servers.json") }

    /// No server has a file of this name.
    private var proposedAuthorities: PrivateFile { PrivateFile(path: folder + "/authorities.login.pem") }

    private func authoritiesPath(for server: String) -> String {
        "\(folder)/authorities-\(Self.letters(of: server).prefix(ConfigurationLimits.trustNameBytesMax)).pem"
    }

    /// The address in letters that the name of a file may have; distinct for each server.
    private static func letters(of server: String) -> String {
        server.utf8.map { byte in
            let isPlain = UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
            return isPlain ? String(UnicodeScalar(byte)) : "_" + String(byte, radix: 16)
        }.joined()
    }
}
