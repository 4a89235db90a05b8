import ArgumentParser
import CausewayControl

struct Pause: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Stop sending until `causeway resume`, or the daemon's restart; creating goes on.")

    @OptionGroup var options: CommandOptions

    func run() async throws { try await options.setPaused(true) }
}

struct Resume: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Go on sending.")

    @OptionGroup var options: CommandOptions

    func run() async throws { try await options.setPaused(false) }
}

struct Probe: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Look for the server now, instead of at the next planned moment.")

    @OptionGroup var options: CommandOptions

    func run() async throws {
        try await options.run { route, console throws(ControlError) in
            try await route.service.probe()
            try console.answer(["probing": true]) { _ in ["Looking for the server"] }
            return .ok
        }
    }
}

struct Config: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show every setting, its value, and where it comes from.")

    @OptionGroup var options: CommandOptions

    private struct Entry: Encodable {
        let value: String?
        let source: String
    }

    func run() async throws {
        try await options.reporting { console throws(ControlError) in
            let settings = try options.settings.resolved()
            var entries: [String: Entry] = [:]
            for key in SettingKey.allCases {
                entries[key.rawValue] = Entry(
                    value: settings.text(of: key), source: settings.source(of: key).description)
            }
            try console.answer(entries) { MessageDetails.lines(settings, for: $0) }
            return .ok
        }
    }
}

extension CommandOptions {
    /// A pause lasts as long as the process that owns the store.
    fileprivate func setPaused(_ isPaused: Bool) async throws {
        try await run { route, console throws(ControlError) in
            guard route.isDaemon else {
                throw ControlError(.daemonUnreachable, "no daemon runs; there is nothing to pause or resume")
            }
            try await route.service.setPaused(isPaused)
            try console.answer(["paused": isPaused]) { _ in [isPaused ? "Paused" : "Sending"] }
            return .ok
        }
    }
}
