/// The settings of the status page, in addition to those of the daemon.
package enum StatusPageKey: String, ProgramSettingKey {
    case listen, origins, tokenFile, certificate, key, showBodies, allowChanges

    package static var environmentPrefix: String { "CAUSEWAY_STATUS_" }

    package var form: SettingForm {
        switch self {
        case .listen: .text
        case .origins: .list
        case .tokenFile, .certificate, .key: .path
        case .showBodies, .allowChanges: .onOff
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
}
