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
        let file = try SettingsFile.find(named: configPath, folders: folders)
        var settings = Settings(store: folders.defaultStore, socket: "")
        for key in SettingKey.allCases {
            guard let found = value(of: key, flags, environment, file) else { continue }
            try settings.set(key, to: found.text, from: found.source)
            settings.sources[key] = found.source
        }
        if settings.sources[.socket] == nil {
            settings.socket = folders.defaultSocket(forStore: settings.store)
        }
        guard (settings.clientCertificate == nil) == (settings.clientKey == nil) else {
            throw ControlError(.configuration, "clientCertificate and clientKey must be set together")
        }
        return settings
    }

    private static func value(
        of key: SettingKey, _ flags: [SettingKey: String], _ environment: [String: String], _ file: SettingsFile?
    ) -> (text: String, source: Source)? {
        if let text = flags[key] { return (text, .flag(key.flag)) }
        if let text = environment[key.environmentName], !text.isEmpty {
            return (text, .environment(key.environmentName))
        }
        if let file, let text = file.values[key] { return (text, .file(file.path)) }
        return nil
    }

    private mutating func set(_ key: SettingKey, to text: String, from source: Source) throws(ControlError) {
        var text = text
        if key.isPath {
            guard !text.isEmpty else { throw Self.wrong(key, text, source, "is empty") }
            text = StandardFolders.absolute(text)
        }
        switch key {
        case .store: store = text
        case .socket: socket = text
        case .durability: durability = try Self.choice(key, text, source)
        case .restart: restart = try Self.choice(key, text, source)
        case .ordering: ordering = try Self.choice(key, text, source)
        case .headFailure: headFailure = try Self.choice(key, text, source)
        case .expiry: expiry = try Self.expiry(key, text, source)
        case .retry:
            retry = try Self.choice(key, text, source)
            retryInterval = retry.policy.interval
            retryCount = retry.policy.retriesMax
        case .retryInterval: retryInterval = try Self.duration(key, text, source)
        case .retryCount: retryCount = try Self.count(key, text, source)
        case .settlingTime: settlingTime = try Self.duration(key, text, source)
        case .ca: ca = text
        case .clientCertificate: clientCertificate = text
        case .clientKey: clientKey = text
        case .logLevel: logLevel = try Self.choice(key, text, source)
        case .logFormat: logFormat = try Self.choice(key, text, source)
        }
    }

    private static func choice<Choice: RawRepresentable<String> & CaseIterable>(
        _ key: SettingKey, _ text: String, _ source: Source
    ) throws(ControlError) -> Choice {
        guard let choice = Choice(rawValue: text) else {
            let known = Choice.allCases.map(\.rawValue).joined(separator: ", ")
            throw wrong(key, text, source, "must be one of \(known)")
        }
        return choice
    }

    private static func duration(
        _ key: SettingKey, _ text: String, _ source: Source
    ) throws(ControlError) -> Duration {
        guard let duration = DurationText.duration(text), duration <= .seconds(86_400) else {
            throw wrong(key, text, source, "must be a time such as 5s, 500ms or 2m, of a day at the most")
        }
        return duration
    }

    private static func expiry(_ key: SettingKey, _ text: String, _ source: Source) throws(ControlError) -> Duration? {
        if text == never { return nil }
        guard let duration = DurationText.duration(text),
            (.seconds(1)...ConfigurationLimits.expiryMax).contains(duration)
        else {
            throw wrong(key, text, source, "must be a time from 1s to 8784h such as 15m or 24h, or \(never)")
        }
        return duration
    }

    private static func count(_ key: SettingKey, _ text: String, _ source: Source) throws(ControlError) -> Int {
        guard let count = Int(text), (0...1_000_000).contains(count) else {
            throw wrong(key, text, source, "must be a whole number from 0 to 1000000")
        }
        return count
    }

    private static func wrong(
        _ key: SettingKey, _ text: String, _ source: Source, _ problem: String
    ) -> ControlError {
        ControlError(.configuration, "\(key.rawValue) is '\(text)' (\(source)); it \(problem)")
    }
}
