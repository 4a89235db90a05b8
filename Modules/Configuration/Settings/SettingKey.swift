/// The settings of the daemon and the command line.
package enum SettingKey: String, ProgramSettingKey {
    case store, storage, socket, durability, restart, ordering, headFailure, expiry
    /// The preset precedes the values that override parts of it: values are set in this order.
    case retry
    case retryInterval, retryCount, settlingTime, uploads, retention, events
    case ca, clientCertificate, clientKey
    case logLevel, logFormat

    package static var environmentPrefix: String { "CAUSEWAY_" }

    package var form: SettingForm {
        switch self {
        case .store, .socket, .ca, .clientCertificate, .clientKey: .path
        case .storage, .durability, .restart, .ordering, .headFailure, .expiry, .retry, .retryInterval, .retryCount,
            .settlingTime, .uploads, .retention, .events,
            .logLevel, .logFormat:
            .text
        }
    }

    /// The purpose and the default, for the help.
    package var help: String {
        switch self {
        case .store: "The folder of the store. (default: $XDG_STATE_HOME/causeway, or ~/.local/state/causeway)"
        case .storage: "The kind of the store: sqlite, or file (a journal). (default: sqlite)"
        case .socket:
            "The control socket. (default: $XDG_RUNTIME_DIR/causeway/control.sock for the default store, and"
                + " run/control.sock in the store's folder otherwise)"
        case .durability: "full: accepted messages survive a power loss; normal: a crash. (default: full)"
        case .restart:
            "Undelivered messages when the daemon starts: resume (deliver them in their original"
                + " order) or fail (mark them as failed). (default: resume)"
        case .ordering:
            "The order that messages keep: laned (texts among each other, and media), lanedPerChannel (the same in each"
                + " channel), mediaAfterText (laned, but media waits for earlier texts) or strict (all of them)."
                + " (default: laned)"
        case .headFailure:
            "A lane whose first message failed permanently: continue (send the next message) or pauseLane"
                + " (wait until that message is resent or deleted). (default: continue)"
        case .expiry:
            "How long a message may wait before it fails instead of being sent late: 15m, 24h, or never."
                + " (default: never)"
        case .retry:
            "documented (5 s apart, 3 retries), or patient (up to 5 min apart, for a day and a half)."
                + " (default: documented)"
        case .retryInterval: "The pause after a failed attempt: 5s, 500ms, 2m. (default: the retry policy's)"
        case .retryCount: "The number of attempts after the first. (default: the retry policy's)"
        case .settlingTime: "How long the server must be reachable again before anything is sent. (default: 1s)"
        case .uploads: "The number of files that are uploaded at the same time, from 1 to 6. (default: 2)"
        case .retention:
            "The delivered messages of each channel that the store keeps: forever, those of a time (90d, 48h), or a"
                + " number of the newest (100000). The server keeps all of them. (default: forever)"
        case .events:
            "follow: changes by others arrive by themselves, and the user is shown as present; off: nothing is"
                + " requested unasked, for devices that only send. (default: follow)"
        case .ca: "PEM file of the authorities trusted for server certificates. (default: the system's)"
        case .clientCertificate: "PEM file of the client certificate, for servers that require one."
        case .clientKey: "PEM file of the certificate's key, not encrypted."
        case .logLevel: "trace, debug, info, notice, warning, error or critical. (default: info)"
        case .logFormat: "text or json. (default: text)"
        }
    }
}
