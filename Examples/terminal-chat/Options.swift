import Causeway
import Foundation

/// The options of the command line.
struct Options {
    let folder: String
    let server: String
    let authorities: String?
    let token: AccessToken
    let channels: [ChannelID]

    private static let names = ["--store", "--server", "--ca", "--token-file"]

    struct Usage: Error, CustomStringConvertible {
        let problem: String
        var description: String {
            problem + "\nusage: terminal-chat --store FOLDER --server URL [--ca FILE] --token-file FILE CHANNEL …"
        }
    }

    init(_ arguments: some Sequence<String>) throws {
        var named: [String: String] = [:]
        var channels: [ChannelID] = []
        var rest = arguments.makeIterator()
        while let argument = rest.next() {
            if argument.hasPrefix("--") {
                guard Self.names.contains(argument) else { throw Usage(problem: "unknown option \(argument)") }
                guard let value = rest.next() else { throw Usage(problem: "\(argument) needs a value") }
                named[argument] = value
            } else {
                guard let channel = ChannelID(argument) else {
                    throw Usage(problem: "invalid channel name \(argument)")
                }
                channels.append(channel)
            }
        }
        guard let folder = named["--store"], let server = named["--server"], let file = named["--token-file"],
            !channels.isEmpty
        else { throw Usage(problem: "--store, --server, --token-file or a channel is missing") }
        self.folder = folder
        self.server = server
        token = try Self.token(in: file)
        self.channels = channels
        authorities = named["--ca"]
    }

    /// Reads a secret: from a file that only its owner can read, never from the command line.
    private static func token(in file: String) throws -> AccessToken {
        let attributes = try FileManager.default.attributesOfItem(atPath: file)
        if let mode = attributes[.posixPermissions] as? NSNumber, mode.intValue & 0o077 != 0 {
            throw Usage(problem: "\(file) can be read by others; make it private: chmod 600 \(file)")
        }
        let text = try String(contentsOfFile: file, encoding: .utf8).trimmingCharacters(in: .whitespacesAndNewlines)
        guard let token = AccessToken(text) else { throw Usage(problem: "\(file) contains no token") }
        return token
    }
}
