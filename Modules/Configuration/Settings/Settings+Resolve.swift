package import CausewayControlAPI
import CausewayModels
import Foundation
import Logging

extension Settings {
    /// Resolves every setting.
    ///
    /// - Parameters:
    ///   - flags: the values of the command line.
    ///   - environment: the environment of the process.
    ///   - configPath: the value of `--config`; when `nil`, `CAUSEWAY_CONFIG`, or
    ///   `$XDG_CONFIG_HOME/causeway/config.json` if it exists.
    ///
    /// Throws ``ControlError/Code/configuration`` with the key, its source, and the problem.
    package static func resolve(
        flags: [SettingKey: String], environment: [String: String], configPath: String? = nil
    ) throws(ControlError) -> Settings {
        let folders = StandardFolders(environment: environment)
        let layers = SettingLayers<SettingKey>(
            flags: flags, environment: environment,
            file: try SettingsFile.find(
                named: configPath ?? folders.configFromEnvironment("CAUSEWAY_CONFIG"),
                otherwise: folders.config("config.json")))
        var settings = Settings(store: folders.defaultStore, socket: "")
        for key in SettingKey.allCases {
            guard let value = layers.value(of: key) else { continue }
            try settings.set(value)
            settings.sources[key] = value.source
        }
        if settings.sources[.socket] == nil {
            settings.socket = folders.defaultSocket(forStore: settings.store)
        }
        guard (settings.clientCertificate == nil) == (settings.clientKey == nil) else {
            throw ControlError(.configuration, "clientCertificate and clientKey must be set together")
        }
        return settings
    }

    private mutating func set(_ value: SettingValue<SettingKey>) throws(ControlError) {
        switch value.key {
        case .store: store = try value.path()
        case .storage: storage = try value.choice()
        case .socket: socket = try value.path()
        case .durability: durability = try value.choice()
        case .restart: restart = try value.choice()
        case .ordering: ordering = try value.choice()
        case .headFailure: headFailure = try value.choice()
        case .expiry: expiry = try Self.expiry(value)
        case .retry:
            retry = try value.choice()
            retryInterval = retry.policy.interval
            retryCount = retry.policy.retriesMax
        case .retryInterval: retryInterval = try Self.duration(value)
        case .retryCount: retryCount = try Self.count(value)
        case .settlingTime: settlingTime = try Self.duration(value)
        case .uploads: uploads = try Self.uploads(value)
        case .retention: retention = try Self.retention(value)
        case .events: events = try value.choice()
        case .ca: ca = try value.path()
        case .clientCertificate: clientCertificate = try value.path()
        case .clientKey: clientKey = try value.path()
        case .logLevel: logLevel = try value.choice()
        case .logFormat: logFormat = try value.choice()
        }
    }

    private static func duration(_ value: SettingValue<SettingKey>) throws(ControlError) -> Duration {
        guard let duration = DurationText.duration(value.text), duration <= .seconds(86_400) else {
            throw value.wrong("must be a time such as 5s, 500ms or 2m, of a day at the most")
        }
        return duration
    }

    private static func expiry(_ value: SettingValue<SettingKey>) throws(ControlError) -> Duration? {
        if value.text == never { return nil }
        guard let duration = DurationText.duration(value.text),
            (.seconds(1)...ConfigurationLimits.expiryMax).contains(duration)
        else { throw value.wrong("must be a time from 1s to 8784h such as 15m or 24h, or \(never)") }
        return duration
    }

    private static func retention(_ value: SettingValue<SettingKey>) throws(ControlError) -> RetentionPolicy {
        guard let policy = RetentionText.policy(value.text) else {
            throw value.wrong(
                "must be forever, a time of at least 1h such as 90d or 48h, or a number of messages of at least"
                    + " \(Limits.retainedMessagesMin)")
        }
        return policy
    }

    private static func uploads(_ value: SettingValue<SettingKey>) throws(ControlError) -> Int {
        guard let count = Int(value.text), (1...ConfigurationLimits.uploadsMax).contains(count) else {
            throw value.wrong("must be a whole number from 1 to \(ConfigurationLimits.uploadsMax)")
        }
        return count
    }

    private static func count(_ value: SettingValue<SettingKey>) throws(ControlError) -> Int {
        guard let count = Int(value.text), (0...1_000_000).contains(count) else {
            throw value.wrong("must be a whole number from 0 to 1000000")
        }
        return count
    }
}
