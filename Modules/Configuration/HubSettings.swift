package import CausewayDiagnostics
internal import CausewayHTTPServer
internal import Foundation

/// The settings of `causeway-hub serve`, in addition to its data folder. One precedence: flags, then environment
/// (`CAUSEWAY_HUB_…`), then the file `hub.json` in the data folder, then defaults.
package struct HubSettings: Sendable, Hashable {
    /// `HOST:PORT`.
    package var listen: String?
    package var logFormat: LogFormat?
    /// One of swift-log's levels.
    package var logLevel: String?

    package init(listen: String? = nil, logFormat: LogFormat? = nil, logLevel: String? = nil) {
        self.listen = listen
        self.logFormat = logFormat
        self.logLevel = logLevel
    }

    package static let defaults = HubSettings(listen: "127.0.0.1:8443", logFormat: .text, logLevel: "info")

    /// Returns these settings, completed with the other ones.
    package func or(_ other: HubSettings) -> HubSettings {
        HubSettings(
            listen: listen ?? other.listen, logFormat: logFormat ?? other.logFormat,
            logLevel: logLevel ?? other.logLevel)
    }

    /// - Throws: `configuration` when a variable has an invalid value.
    package init(environment: [String: String]) throws(HubError) {
        listen = environment["CAUSEWAY_HUB_LISTEN"]
        logLevel = environment["CAUSEWAY_HUB_LOG_LEVEL"]
        guard let format = environment["CAUSEWAY_HUB_LOG_FORMAT"] else { return }
        guard let known = LogFormat(rawValue: format) else {
            throw .configuration("CAUSEWAY_HUB_LOG_FORMAT is “\(format.prefix(32))”; it must be text or json")
        }
        logFormat = known
    }

    /// Reads the settings of a file; none when it does not exist.
    ///
    /// - Throws: `configuration` for a file that cannot be read, an unknown key or an invalid value.
    package init(file path: String) throws(HubError) {
        guard DataFolder.exists(path) else { return }
        let values: [String: String]
        do {
            values = try JSONDecoder().decode(
                [String: String].self, from: Data(contentsOf: URL(fileURLWithPath: path)))
        } catch {
            throw .configuration("\(path) is not a JSON object of strings: \(HubCoding.explanation(of: error))")
        }
        for (key, value) in values {
            switch key {
            case "listen": listen = value
            case "logLevel": logLevel = value
            case "logFormat":
                guard let known = LogFormat(rawValue: value) else {
                    throw .configuration("\(path): logFormat is “\(value.prefix(32))”; it must be text or json")
                }
                logFormat = known
            default:
                throw .configuration(
                    "\(path): unknown setting “\(key.prefix(64))”; known are listen, logFormat, logLevel")
            }
        }
    }

    /// Splits `HOST:PORT`, with an IPv6 address in brackets.
    ///
    /// - Throws: `configuration`.
    package static func address(_ text: String) throws(HubError) -> (host: String, port: Int) {
        do throws(ListenAddress.Problem) {
            let address = try ListenAddress(text)
            return (address.host, address.port)
        } catch {
            let shown = text.prefix(64)
            switch error {
            case .malformed:
                throw .configuration("invalid address “\(shown)”; write HOST:PORT, as in 127.0.0.1:8443")
            case .noHost:
                throw .configuration("“\(shown)” has no host; write 0.0.0.0\(shown) for all addresses")
            }
        }
    }
}
