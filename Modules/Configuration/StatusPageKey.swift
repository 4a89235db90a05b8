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
            "The page's origin in browsers, as https://HOST[:PORT]; may be repeated. A loopback address"
                + " needs none."
        case .tokenFile:
            "A file with the page's access token; required beyond loopback. Or"
                + " CAUSEWAY_STATUS_TOKEN."
        case .certificate:
            "PEM file of the page's certificate chain; with --key, enables TLS."
        case .key: "PEM file of the certificate's key, not encrypted."
        case .showBodies: "Show the texts of messages."
        case .allowChanges: "Without a token: let every local user resend and delete. With one, a login always may."
        }
    }

    var isPath: Bool { self == .tokenFile || self == .certificate || self == .key }
}
