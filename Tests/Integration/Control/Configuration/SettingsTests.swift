import Causeway
import CausewayConfiguration
import CausewayControlAPI
import CausewayDaemon
import CausewayTestSupport
import Foundation
import Testing

/// One precedence for every setting: flag, environment, file, default.
@Suite struct SettingsTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder(.short) }

    private func resolve(
        _ flags: [SettingKey: String] = [:], _ environment: [String: String] = [:], file: String? = nil
    ) throws(ControlError) -> Settings {
        var environment = environment
        environment["HOME"] = environment["HOME"] ?? folder.path
        return try .resolve(flags: flags, environment: environment, configPath: file)
    }

    private func file(_ text: String) throws -> String { try folder.write(text, to: "config.json") }

    /// Two values for each key, neither of them the default.
    private static let examples: [SettingKey: (String, String)] = [
        .store: ("/a", "/b"), .socket: ("/a/s", "/b/s"), .durability: ("normal", "full"),
        .restart: ("fail", "resume"), .ordering: ("strict", "lanedPerChannel"), .retryInterval: ("7s", "8s"),
        .headFailure: ("pauseLane", "continue"), .expiry: ("900s", "never"), .retry: ("patient", "documented"),
        .retryCount: ("7", "8"), .settlingTime: ("250ms", "2s"), .uploads: ("3", "6"), .retention: ("90d", "100000"),
        .ca: ("/a/ca", "/b/ca"), .events: ("off", "follow"),
        .clientCertificate: ("/a/c", "/b/c"), .clientKey: ("/a/k", "/b/k"), .logLevel: ("debug", "error"),
        .logFormat: ("json", "text"), .storage: ("file", "sqlite"),
    ]

    @Test(arguments: SettingKey.allCases)
    func eachKeyIsFoundInEachPlaceAndTheNearerOneCounts(key: SettingKey) throws {
        let (one, other) = try #require(Self.examples[key])
        var path = try file(#"{"\#(key.rawValue)":"\#(one)"}"#)
        // A certificate needs its key: the key is in the environment.
        var pair: [String: String] = [:]
        if key == .clientCertificate { pair[SettingKey.clientKey.environmentName] = "/k" }
        if key == .clientKey { pair[SettingKey.clientCertificate.environmentName] = "/c" }

        let byDefault = try resolve([:], [:])
        #expect(byDefault.source(of: key) == .byDefault)
        #expect(byDefault.text(of: key) != one)

        let byFile = try resolve([:], pair, file: path)
        #expect(byFile.text(of: key) == one)
        #expect(byFile.source(of: key) == .file(path))

        path = try file(#"{"\#(key.rawValue)":"\#(other)"}"#)
        let environment = pair.merging([key.environmentName: one]) { $1 }
        let byEnvironment = try resolve([:], environment, file: path)
        #expect(byEnvironment.text(of: key) == one)
        #expect(byEnvironment.source(of: key) == .environment(key.environmentName))

        let other2 = pair.merging([key.environmentName: other]) { $1 }
        let byFlag = try resolve([key: one], other2, file: path)
        #expect(byFlag.text(of: key) == one)
        #expect(byFlag.source(of: key) == .flag(key.flag))
    }

    @Test func namesFollowFromTheKey() {
        #expect(SettingKey.retryInterval.flag == "--retry-interval")
        #expect(SettingKey.retryInterval.environmentName == "CAUSEWAY_RETRY_INTERVAL")
        #expect(SettingKey.ca.environmentName == "CAUSEWAY_CA")
    }

    @Test func theSocketFollowsTheStore() throws {
        let home = folder.path
        let runtime = ["XDG_RUNTIME_DIR": "/run/user/7", "XDG_STATE_HOME": home + "/state"]
        #expect(try resolve([:], runtime).store == home + "/state/causeway")
        #expect(try resolve([:], runtime).socket == "/run/user/7/causeway/control.sock")
        #expect(try resolve([.store: "/other"], runtime).socket == "/other/run/control.sock")
        #expect(try resolve().store == home + "/.local/state/causeway")
        #expect(try resolve().socket == home + "/.local/state/causeway/run/control.sock")
        // The specification requires relative paths to be ignored.
        #expect(try resolve([:], ["XDG_STATE_HOME": "state"]).store == home + "/.local/state/causeway")
    }

    @Test func theUsualFileIsReadWhenItIsThere() throws {
        let usual = folder.path + "/c/causeway"
        try FileManager.default.createDirectory(atPath: usual, withIntermediateDirectories: true)
        let path = try folder.write(#"{"restart":"fail","retryCount":9,"ca":"ca.pem"}"#, to: "c/causeway/config.json")
        let settings = try resolve([:], ["XDG_CONFIG_HOME": folder.path + "/c"])
        #expect(settings.restart == .fail)
        #expect(settings.retryCount == 9)
        #expect(settings.source(of: .restart) == .file(path))
        // Paths in a file are relative to its folder.
        #expect(settings.ca == usual + "/ca.pem")
        #expect(settings.clientConfiguration.restart == .fail)
        #expect(settings.clientConfiguration.outbox.retry.retriesMax == 9)
    }

    @Test func thePoliciesReachTheClient() throws {
        let flags: [SettingKey: String] = [
            .ordering: "mediaAfterText", .headFailure: "pauseLane", .expiry: "2h", .retry: "patient", .uploads: "5",
        ]
        let client = try resolve(flags).clientConfiguration
        #expect(client.ordering == .mediaAfterText)
        #expect(client.outbox.headFailure == .pauseLane)
        #expect(client.outbox.expiry == .seconds(7200))
        #expect(client.outbox.retry == .patient)
        #expect(client.outbox.uploadsMax == 5)
        let usual = try resolve().clientConfiguration
        // A program that restarts resumes; the library keeps the documented default.
        #expect(usual.restart == .resume && ClientConfiguration().restart == .fail)
        // It looks for its server now and then, with nothing to send, too.
        var documented = OutboxConfiguration()
        documented.idleProbeInterval = usual.outbox.idleProbeInterval
        #expect(usual.outbox == documented && usual.outbox.retry == .documented)
        #expect(usual.outbox.idleProbeInterval == .seconds(300))
    }

    /// Values that override a preset count, wherever the preset is set.
    @Test func anIntervalAndACountDepartFromThePreset() throws {
        let path = try file(#"{"retryCount":9,"retryInterval":"7s"}"#)
        let settings = try resolve([.retry: "patient"], [:], file: path)
        let retry = settings.clientConfiguration.outbox.retry
        #expect(retry.interval == .seconds(7) && retry.retriesMax == 9)
        #expect(retry.backoffFactor == RetryPolicy.patient.backoffFactor)
        #expect(try resolve([.retry: "patient"]).text(of: .retryCount) == "440")
    }

    @Test(
        arguments: [
            (#"{"stroe":"/a"}"#, "unknown key `stroe`"), (#"{"token":"x"}"#, "unknown key `token`"),
            (#"{"restart":true}"#, "`restart` must be a string or a number"), ("[]", "it must be one JSON object"),
            ("{", "is not valid JSON"), (#"{"restart":"never"}"#, "it must be one of fail, resume"),
            (#"{"retryInterval":"soon"}"#, "it must be a time such as 5s"),
            (#"{"expiry":"0s"}"#, "it must be a time from 1s"), (#"{"expiry":"soon"}"#, "or never"),
            (#"{"headFailure":"stop"}"#, "it must be one of continue, pauseLane"),
            (#"{"retry":"often"}"#, "it must be one of documented, patient"),
            (#"{"uploads":0}"#, "it must be a whole number"), (#"{"uploads":7}"#, "it must be a whole number"),
            (#"{"retryCount":-1}"#, "it must be a whole number"), (#"{"ca":""}"#, "it is empty"),
            (#"{"clientKey":"/k"}"#, "must be set together"),
        ])
    func whatIsWrongIsNamed(text: String, words: String) throws {
        let path = try file(text)
        do throws(ControlError) {
            _ = try resolve([:], [:], file: path)
            Issue.record("that is wrong")
        } catch {
            #expect(error.code == .configuration)
            #expect(error.detail.contains(words))
            #expect(error.detail.contains(path) || words.contains("together"))
        }
    }

    @Test func aFileThatWasNamedMustBeThere() throws {
        do throws(ControlError) {
            _ = try resolve([:], ["CAUSEWAY_CONFIG": folder.path + "/none.json"])
            Issue.record("there is none")
        } catch {
            #expect(error.detail == "there is no configuration file \(folder.path)/none.json")
        }
    }

    @Test(
        arguments: [
            ("5", 5000), ("0.5", 500), ("5s", 5000), ("500ms", 500), ("2m", 120_000), ("1h", 3_600_000), ("0", 0),
        ])
    func timesAreRead(text: String, milliseconds: Int) {
        #expect(DurationText.duration(text) == .milliseconds(milliseconds))
    }

    @Test(arguments: [1, 999, 295_149, 2_365_000, 2_369_000, 7_200_000, 86_399_999])
    func timesAreShownAsTheyWereRead(milliseconds: Int) throws {
        let settings = try resolve([.expiry: "\(max(1000, milliseconds))ms", .settlingTime: "\(milliseconds)ms"])
        let shown = try #require(settings.text(of: .settlingTime))
        #expect(DurationText.duration(shown) == .milliseconds(milliseconds))
        #expect(shown.hasSuffix("ms") == !milliseconds.isMultiple(of: 1000))
        #expect(settings.text(of: .expiry).flatMap(DurationText.duration) == settings.expiry)
    }

    @Test(arguments: ["", "s", "-1", "1d", "1 s", "NaN", "1e3", "٣", "1e999s"])
    func whatIsNoTimeIsNone(text: String) { #expect(DurationText.duration(text) == nil) }

    @Test func aRetentionIsForeverATimeOrANumber() throws {
        let expected: [(String, RetentionPolicy)] = [
            ("forever", .forever), ("90d", .age(.seconds(90 * 86_400))), ("48h", .age(.seconds(48 * 3600))),
            ("1h", .age(.seconds(3600))), ("100", .count(100)), ("100000", .count(100_000)),
            ("36600d", .age(.seconds(36_600 * 86_400))), ("1000000000", .count(1_000_000_000)),
        ]
        for (text, policy) in expected {
            let settings = try resolve([.retention: text])
            #expect(settings.retention == policy && settings.clientConfiguration.retention == policy)
            #expect(RetentionText.policy(settings.text(of: .retention) ?? "") == policy)
        }
        #expect(try resolve([.retention: "48h"]).text(of: .retention) == "2d")
        let malformed = [
            "", "99", "-1", "0d", "1m", "1.5d", "d", "h", "1 d", "٣d", "36601d", "878401h", "99999999999999999999d",
            "+5d", "1000000001", "Forever", "90D",
        ]
        for text in malformed {
            let error = #expect(throws: ControlError.self) { try resolve([.retention: text]) }
            #expect(error?.detail.contains("retention is '\(text)'") == true)
        }
    }
}
