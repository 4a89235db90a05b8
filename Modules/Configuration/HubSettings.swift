package import CausewayControlAPI
package import CausewayDiagnostics
package import Logging

/// The settings of `causeway-hub serve`, in addition to its data folder.
package enum HubSettingKey: String, ProgramSettingKey {
    case listen, logFormat, logLevel, connections, connectionsPerAddress, connectionsPerAccount

    package static var environmentPrefix: String { "CAUSEWAY_HUB_" }
    package var form: SettingForm { .text }
}

/// The values of the hub's settings: its flags, the environment (`CAUSEWAY_HUB_…`), the file `hub.json` in its data
/// folder and the defaults, in this order.
package struct HubSettings: Sendable, Hashable {
    /// `HOST:PORT`.
    package var listen = "127.0.0.1:8443"
    package var logFormat = LogFormat.text
    package var logLevel = Logger.Level.info
    /// Open connections in all, of one address and of one account; `nil` for the hub's own limits.
    package var connections: Int?
    package var connectionsPerAddress: Int?
    package var connectionsPerAccount: Int?

    /// The largest number of connections, so that the files of a process suffice for them.
    package static let connectionsMax = 100_000

    package init() {}

    /// - Parameters:
    ///   - flags: the values of the command line.
    ///   - environment: the environment of the process.
    ///   - file: the path of `hub.json`, which may be missing.
    ///
    /// Throws ``ControlError/Code/configuration`` with the key, its source, and the problem.
    package init(
        flags: [HubSettingKey: String], environment: [String: String], file: String
    ) throws(ControlError) {
        let layers = SettingLayers(
            flags: flags, environment: environment, file: try SettingsFile.find(named: nil, otherwise: file))
        if let value = layers.value(of: .listen) { listen = value.text }
        if let value = layers.value(of: .logFormat) { logFormat = try value.choice() }
        if let value = layers.value(of: .logLevel) { logLevel = try value.choice() }
        connections = try layers.value(of: .connections).map(Self.count)
        connectionsPerAddress = try layers.value(of: .connectionsPerAddress).map(Self.count)
        connectionsPerAccount = try layers.value(of: .connectionsPerAccount).map(Self.count)
    }

    private static func count(_ value: SettingValue<HubSettingKey>) throws(ControlError) -> Int {
        guard let count = Int(value.text), (1...connectionsMax).contains(count) else {
            throw value.wrong("must be a whole number from 1 to \(connectionsMax)")
        }
        return count
    }
}
