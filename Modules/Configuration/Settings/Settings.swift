import CausewayControlAPI
package import CausewayDiagnostics
package import CausewayModels
package import Logging

/// The settings of a program: its flags, its environment, its configuration file and the defaults, in this order.
package struct Settings: Sendable, Hashable {
    /// The kinds of stores.
    package enum Storage: String, Sendable, Hashable, CaseIterable { case sqlite, file }

    /// The failures that a store survives.
    package enum Durability: String, Sendable, Hashable, CaseIterable { case full, normal }

    /// Whether the server's events are followed.
    package enum Events: String, Sendable, Hashable, CaseIterable { case follow, off }

    /// Absolute, like all paths here.
    package var store: String
    package var storage = Storage.sqlite
    package var socket: String
    package var durability = Durability.full
    /// A program that restarts resumes its queue; the library's own default is the documented `fail`.
    package var restart = RestartPolicy.resume
    package var ordering = OrderingPolicy.laned
    package var headFailure = OutboxConfiguration().headFailure
    /// `nil` when messages never expire.
    package var expiry: Duration?
    package var retry = RetryPolicy.Preset.documented
    package var retryInterval = RetryPolicy.documented.interval
    package var retryCount = RetryPolicy.documented.retriesMax
    package var settlingTime = OutboxConfiguration().settlingTime
    package var uploads = OutboxConfiguration().uploadsMax
    package var retention = RetentionPolicy.forever
    package var events = Events.follow
    package var ca: String?
    package var clientCertificate: String?
    package var clientKey: String?
    package var logLevel = Logger.Level.info
    package var logFormat = LogFormat.text
    /// The source of each value.
    package internal(set) var sources: [SettingKey: SettingSource] = [:]

    /// The value of an expiry that never comes.
    static let never = "never"

    init(store: String, socket: String) {
        self.store = store
        self.socket = socket
    }

    /// A value as text; `nil` when there is none.
    package func text(of key: SettingKey) -> String? {
        switch key {
        case .store: store
        case .storage: storage.rawValue
        case .socket: socket
        case .durability: durability.rawValue
        case .restart: restart.rawValue
        case .ordering: ordering.rawValue
        case .headFailure: headFailure.rawValue
        case .expiry: expiry.map(DurationText.text) ?? Self.never
        case .retry: retry.rawValue
        case .retryInterval: DurationText.text(retryInterval)
        case .retryCount: String(retryCount)
        case .settlingTime: DurationText.text(settlingTime)
        case .uploads: String(uploads)
        case .retention: RetentionText.text(retention)
        case .events: events.rawValue
        case .ca: ca
        case .clientCertificate: clientCertificate
        case .clientKey: clientKey
        case .logLevel: logLevel.rawValue
        case .logFormat: logFormat.rawValue
        }
    }

    package func source(of key: SettingKey) -> SettingSource { sources[key] ?? .byDefault }
}

extension SettingsResponse {
    package init(_ settings: Settings) {
        var entries: [String: Entry] = [:]
        for key in SettingKey.allCases {
            entries[key.rawValue] = Entry(
                value: settings.text(of: key), source: settings.source(of: key).description)
        }
        self.init(entries: entries)
    }
}
