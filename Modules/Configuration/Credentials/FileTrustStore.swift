package import CausewayControlAPI
import CausewayModels
import CausewaySystem
import Foundation
import Synchronization

/// Stores the entries in the file `servers.json` beside the store, and the authorities in PEM files next to it, because
/// the file named at the login may be gone at the next start.
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

    private static let bytesMax = 16 * 1024 * 1024

    /// - Parameter folder: the store's folder.
    ///
    /// Throws ``ControlError/Code/storeNotAccessible`` when the file exists and cannot be read, and
    /// ``ControlError/Code/storeUnusable`` when it is not valid JSON.
    package init(folder: String) throws(ControlError) {
        self.folder = folder
        let file = Self.file(in: folder)
        let data: [UInt8]?
        do throws(PrivateFile.Problem) {
            data = try file.read(bytesMax: Self.bytesMax)
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

    package func entry(for server: String) -> TrustEntry? { content.withLock { $0.servers[$0.spelling(of: server)] } }

    package func keep(_ entry: TrustEntry?, for server: String) throws(ControlError) {
        let entry = entry == TrustEntry() ? nil : entry
        try content.withLock { content throws(ControlError) in
            let server = content.spelling(of: server)
            guard content.servers[server] != entry else { return }
            var new = content
            new.servers[server] = entry
            let data = try ControlJSON.encode(new)
            do throws(PrivateFile.Problem) {
                let authorities = PrivateFile(path: authoritiesPath(for: server))
                if let text = entry?.authorities {
                    try authorities.write(Array(text.utf8))
                } else {
                    try authorities.remove()
                }
                try Self.file(in: folder).write(Array(data))
            } catch {
                throw ControlError(error.isFull ? .storeFull : .storeNotAccessible, error.description)
            }
            content = new
        }
    }

    package func authoritiesFile(for server: String) -> String? {
        let spelling = content.withLock { $0.spelling(of: server) }
        return entry(for: server)?.authorities == nil ? nil : authoritiesPath(for: spelling)
    }

    private static func file(in folder: String) -> PrivateFile { PrivateFile(path: folder + "/servers.json") }

    /// Returns a distinct file name for each server, whatever characters its address contains.
    private func authoritiesPath(for server: String) -> String {
        let letters = server.utf8.map { byte in
            let isPlain = UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
            return isPlain ? String(UnicodeScalar(byte)) : "_" + String(byte, radix: 16)
        }
        return "\(folder)/authorities-\(letters.joined().prefix(200)).pem"
    }
}
