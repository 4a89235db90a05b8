import CausewayConfiguration
package import CausewayControlAPI
package import CausewayHTTPServer
import CausewayModels
import Foundation

/// The settings of the page, in addition to those of the daemon. One precedence: flags, then the environment
/// (`CAUSEWAY_STATUS_…`), then a file, then defaults.
package struct StatusPageSettings: Sendable, Hashable {
    package static let listenDefault = ListenAddress(host: "127.0.0.1", port: 8585)

    private let values: [StatusPageKey: String]
    /// `CAUSEWAY_STATUS_TOKEN`.
    private let tokenText: String?

    /// - Parameters:
    ///   - flags: the values of the command line; `true` for a switch, several origins separated by commas.
    ///   - environment: the environment of the process.
    ///   - file: the value of `--config`; when `nil`, `CAUSEWAY_STATUS_CONFIG`, or
    ///   `$XDG_CONFIG_HOME/causeway/status.json` if it exists.
    ///
    /// Throws ``ControlError/Code/configuration`` for a file that cannot be read or has an unknown key.
    package init(
        flags: [StatusPageKey: String], environment: [String: String], file: String?
    ) throws(ControlError) {
        var values = try Self.file(file, environment)
        for key in StatusPageKey.allCases {
            if let text = environment[key.environmentName], !text.isEmpty { values[key] = text }
        }
        tokenText = try Self.token(in: environment)
        // A token in the environment overrides a token file named in a file, and is overridden by one named by a flag.
        if tokenText != nil { values[.tokenFile] = nil }
        for (key, text) in flags { values[key] = text }
        self.values = values
    }

    /// Returns the configuration of a page.
    ///
    /// - Parameter socket: the daemon's socket, shown on the page.
    ///
    /// Throws ``ControlError/Code/configuration`` with the problem; never with a token in it.
    package func configuration(socket: String) throws(ControlError) -> StatusPageConfiguration {
        var configuration = StatusPageConfiguration(listen: Self.listenDefault, socket: socket)
        if let text = values[.listen] {
            do throws(ListenAddress.Problem) {
                configuration.listen = try ListenAddress(text)
            } catch {
                throw ControlError(.configuration, "invalid address '\(text)'; write HOST:PORT, as in 127.0.0.1:8585")
            }
        }
        configuration.origins = try (values[.origins] ?? "").split(separator: ",").map {
            part throws(ControlError) in
            let text = part.trimmingCharacters(in: .whitespaces)
            guard let origin = WebOrigin(text) else {
                throw ControlError(.configuration, "invalid origin '\(text)'; write https://HOST or https://HOST:PORT")
            }
            return origin
        }
        configuration.token = try token()
        switch (values[.certificate], values[.key]) {
        case (let certificate?, let key?):
            configuration.identity = StatusPageConfiguration.Identity(
                certificateChainPath: certificate, privateKeyPath: key)
        case (nil, nil): break
        default: throw ControlError(.configuration, "--certificate and --key must be set together")
        }
        configuration.showsBodies = try isOn(.showBodies)
        configuration.allowsChanges = try isOn(.allowChanges)
        try configuration.check()
        return configuration
    }

    private func token() throws(ControlError) -> AccessTokenDigest? {
        if let path = values[.tokenFile] {
            let data = try TextFile.read(path, bytesMax: StatusPageLimits.tokenBytesMax * 2, as: .configuration)
            return try AccessTokenDigest(String(decoding: data, as: UTF8.self), from: path)
        }
        return try tokenText.map { text throws(ControlError) in try AccessTokenDigest(text, from: Self.tokenName) }
    }

    private static let tokenName = "CAUSEWAY_STATUS_TOKEN"

    /// An empty variable does not mean a page without a token: a broken script must not open the page to everyone.
    private static func token(in environment: [String: String]) throws(ControlError) -> String? {
        let text = environment[tokenName]
        let path = environment[StatusPageKey.tokenFile.environmentName]
        if text?.isEmpty == true || path?.isEmpty == true {
            throw ControlError(
                .configuration,
                "\(text?.isEmpty == true ? tokenName : StatusPageKey.tokenFile.environmentName) is empty;"
                    + " set a value, or unset it for a page without a token")
        }
        if text != nil, path != nil {
            throw ControlError(
                .configuration,
                "\(tokenName) and \(StatusPageKey.tokenFile.environmentName) are both set; unset one of them")
        }
        return text
    }

    private func isOn(_ key: StatusPageKey) throws(ControlError) -> Bool {
        switch values[key] {
        case nil, "false", "0", "no": false
        case "true", "1", "yes": true
        case let text?: throw ControlError(.configuration, "\(key.rawValue) is '\(text)'; it must be true or false")
        }
    }

    // MARK: - The file

    private static func file(
        _ named: String?, _ environment: [String: String]
    ) throws(ControlError) -> [StatusPageKey: String] {
        let folder = environment["XDG_CONFIG_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
        let usual = (folder ?? (environment["HOME"] ?? NSHomeDirectory()) + "/.config") + "/causeway/status.json"
        let wanted = named ?? environment["CAUSEWAY_STATUS_CONFIG"].flatMap { $0.isEmpty ? nil : $0 }
        let path = wanted ?? usual
        guard wanted != nil || FileManager.default.fileExists(atPath: path) else { return [:] }
        let data = try TextFile.read(path, bytesMax: 1 << 20, as: .configuration)
        let members: [String: JSONValue]
        do throws(ControlError) {
            members = try ControlJSON.decode([String: JSONValue].self, from: data, what: path)
        } catch {
            throw ControlError(.configuration, error.detail + "; it must be one JSON object")
        }
        var values: [StatusPageKey: String] = [:]
        for (name, value) in members.sorted(by: { $0.key < $1.key }) {
            guard let key = StatusPageKey(rawValue: name) else {
                let known = StatusPageKey.allCases.map(\.rawValue).joined(separator: ", ")
                throw ControlError(.configuration, "\(path): unknown key `\(name)`; known are \(known)")
            }
            guard let text = text(value) else {
                throw ControlError(
                    .configuration, "\(path): `\(name)` must be a string, true or false, or a list of strings")
            }
            values[key] = key.isPath ? beside(path, text) : text
        }
        return values
    }

    private static func text(_ value: JSONValue) -> String? {
        switch value {
        case .string(let text): return text
        case .bool(let isOn): return isOn ? "true" : "false"
        case .array(let parts):
            let texts = parts.compactMap { part in
                if case .string(let text) = part { text } else { nil }
            }
            return texts.count == parts.count ? texts.joined(separator: ",") : nil
        case .null, .integer, .double, .object: return nil
        }
    }

    /// Resolves a path relative to the file's own folder.
    private static func beside(_ file: String, _ text: String) -> String {
        guard !text.hasPrefix("/") else { return text }
        return URL(fileURLWithPath: file).deletingLastPathComponent().appendingPathComponent(text).path
    }
}
