/// The settings of the page itself. Each has one name that yields the flag (`--token-file`), the environment variable
/// (`CAUSEWAY_STATUS_TOKEN_FILE`) and the key in the file (`tokenFile`).
package enum StatusPageKey: String, Sendable, Hashable, CaseIterable {
    case listen, origins, tokenFile, certificate, key, showBodies, allowChanges

    package var environmentName: String {
        rawValue.reduce(into: "CAUSEWAY_STATUS_") { text, letter in
            if letter.isUppercase { text.append("_") }
            text += letter.uppercased()
        }
    }

    /// The purpose and the default, for the help.
    package var help: String {
        switch self {
        case .listen: "HOST:PORT to listen on. (default: 127.0.0.1:8585)"
        case .origins:
            "Where browsers reach the page, as https://HOST[:PORT]; may be given more than once. A loopback address"
                + " needs none."
        case .tokenFile:
            "A file with the token that people must know to see the page; needed beyond loopback. Or"
                + " CAUSEWAY_STATUS_TOKEN."
        case .certificate:
            "PEM file of the page's certificate and those that link it to its authority; with --key, TLS."
        case .key: "PEM file of its key, not encrypted."
        case .showBodies: "Show what messages say, too."
        case .allowChanges: "Without a token, let everyone on this machine resend and delete; with one, a login may."
        }
    }

    var isPath: Bool { self == .tokenFile || self == .certificate || self == .key }
}
