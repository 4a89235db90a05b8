package import CausewayConfiguration
package import CausewayControlAPI
package import CausewayHTTPServer
import CausewayModels
import Foundation

/// The settings of the page, in addition to those of the daemon. One precedence: flags, then the environment
/// (`CAUSEWAY_STATUS_…`), then a file, then defaults.
package struct StatusPageSettings: Sendable {
    package static let listenDefault = ListenAddress(host: "127.0.0.1", port: 8585)

    private let layers: SettingLayers<StatusPageKey>
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
        let folders = StandardFolders(environment: environment)
        layers = SettingLayers(
            flags: flags, environment: environment,
            file: try SettingsFile.find(
                named: file ?? folders.configFromEnvironment("CAUSEWAY_STATUS_CONFIG"),
                otherwise: folders.config("status.json")))
        tokenText = try Self.token(in: environment)
    }

    /// Returns the configuration of a page.
    ///
    /// - Parameter socket: the daemon's socket, shown on the page.
    ///
    /// Throws ``ControlError/Code/configuration`` with the problem; never with a token in it.
    package func configuration(socket: String) throws(ControlError) -> StatusPageConfiguration {
        var configuration = StatusPageConfiguration(listen: Self.listenDefault, socket: socket)
        if let text = layers.value(of: .listen)?.text {
            do throws(ListenAddress.Problem) {
                configuration.listen = try ListenAddress(text)
            } catch {
                throw ControlError(.configuration, "invalid address '\(text)'; write HOST:PORT, as in 127.0.0.1:8585")
            }
        }
        configuration.origins = try (layers.value(of: .origins)?.text ?? "").split(separator: ",").map {
            part throws(ControlError) in
            let text = part.trimmingCharacters(in: .whitespaces)
            guard let origin = WebOrigin(text) else {
                throw ControlError(.configuration, "invalid origin '\(text)'; write https://HOST or https://HOST:PORT")
            }
            return origin
        }
        configuration.token = try token()
        switch (layers.value(of: .certificate)?.text, layers.value(of: .key)?.text) {
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
        // A token in the environment overrides a token file named in a file, and is overridden by one named by a flag.
        if let named = layers.value(of: .tokenFile), tokenText == nil || named.isFlag {
            let path = named.text
            let data = try TextFile.readSecret(
                path, bytesMax: StatusPageLimits.tokenBytesMax * 2, as: .configuration, exposedAs: .configuration)
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
        guard let value = layers.value(of: key) else { return false }
        return try value.isOn()
    }
}
