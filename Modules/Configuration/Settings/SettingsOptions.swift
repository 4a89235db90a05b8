package import ArgumentParser
package import CausewayControlAPI
import Foundation

/// The settings as command-line options, the same in every program.
package struct SettingsOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Read settings from this JSON file.", valueName: "file"))
    package var config: String?

    @Option(help: ArgumentHelp(stringLiteral: SettingKey.store.help)) package var store: String?
    @Option(help: ArgumentHelp(stringLiteral: SettingKey.storage.help)) package var storage: String?
    @Option(help: ArgumentHelp(stringLiteral: SettingKey.socket.help)) package var socket: String?
    @Option(help: ArgumentHelp(stringLiteral: SettingKey.durability.help)) package var durability: String?
    @Option(help: ArgumentHelp(stringLiteral: SettingKey.restart.help)) package var restart: String?
    @Option(help: ArgumentHelp(stringLiteral: SettingKey.ordering.help)) package var ordering: String?
    @Option(help: ArgumentHelp(stringLiteral: SettingKey.headFailure.help)) package var headFailure: String?
    @Option(help: ArgumentHelp(stringLiteral: SettingKey.expiry.help)) package var expiry: String?
    @Option(help: ArgumentHelp(stringLiteral: SettingKey.retry.help)) package var retry: String?
    @Option(help: ArgumentHelp(stringLiteral: SettingKey.retryInterval.help)) package var retryInterval: String?
    @Option(help: ArgumentHelp(stringLiteral: SettingKey.retryCount.help)) package var retryCount: String?
    @Option(help: ArgumentHelp(stringLiteral: SettingKey.settlingTime.help)) package var settlingTime: String?
    @Option(help: ArgumentHelp(stringLiteral: SettingKey.uploads.help)) package var uploads: String?
    @Option(help: ArgumentHelp(stringLiteral: SettingKey.retention.help)) package var retention: String?
    @Option(help: ArgumentHelp(stringLiteral: SettingKey.events.help)) package var events: String?
    @Option(help: ArgumentHelp(stringLiteral: SettingKey.ca.help)) package var ca: String?
    @Option(help: ArgumentHelp(stringLiteral: SettingKey.clientCertificate.help))
    package var clientCertificate: String?
    @Option(help: ArgumentHelp(stringLiteral: SettingKey.clientKey.help)) package var clientKey: String?
    @Option(help: ArgumentHelp(stringLiteral: SettingKey.logLevel.help)) package var logLevel: String?
    @Option(help: ArgumentHelp(stringLiteral: SettingKey.logFormat.help)) package var logFormat: String?

    package init() {}

    /// The values given on the command line.
    private var flags: [SettingKey: String] {
        let said: [SettingKey: String?] = [
            .store: store, .storage: storage, .socket: socket, .durability: durability, .restart: restart,
            .ordering: ordering, .headFailure: headFailure, .expiry: expiry, .retry: retry,
            .retryInterval: retryInterval, .retryCount: retryCount, .settlingTime: settlingTime,
            .uploads: uploads, .retention: retention, .events: events, .ca: ca,
            .clientCertificate: clientCertificate, .clientKey: clientKey, .logLevel: logLevel, .logFormat: logFormat,
        ]
        return said.compactMapValues { $0 }
    }

    /// Resolves all settings: these flags, then the environment, then the file, then the defaults.
    package func resolved() throws(ControlError) -> Settings {
        try .resolve(flags: flags, environment: ProcessInfo.processInfo.environment, configPath: config)
    }
}
