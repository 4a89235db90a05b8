import ArgumentParser
import CausewayCommandLine
import CausewayConfiguration
import CausewayControlAPI
import CausewayControlClient
import CausewayControlServer

struct Config: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show every setting, its value, and where it comes from.",
        discussion: """
            If a daemon serves the socket, its settings are shown beside those of this command; the daemon uses its \
            own. --json prints an object for each setting: value, source, and daemon with the same two when one runs.
            """)

    @OptionGroup var options: CommandOptions

    private struct Entry: Encodable {
        let value: String?
        let source: String
        /// The settings of the running daemon; absent when none runs.
        let daemon: SettingsResponse.Entry?
    }

    func run() async throws {
        try await options.reporting { console throws(ControlError) in
            let settings = try options.settings.resolved()
            let own = SettingsResponse(settings)
            let daemon = await daemonSettings(at: settings.socket, console)
            var entries: [String: Entry] = [:]
            for (key, entry) in own.entries {
                entries[key] = Entry(value: entry.value, source: entry.source, daemon: daemon?.entries[key])
            }
            try console.report(entries) { MessageDetails.lines(own, daemon: daemon, for: $0) }
            return .ok
        }
    }

    /// Returns the settings of the daemon; `nil` when no daemon runs, or when it does not report them.
    private func daemonSettings(at socket: String, _ console: Console) async -> SettingsResponse? {
        guard ControlSocketPath(path: socket).isListening else { return nil }
        do throws(ControlError) {
            let client = try ControlClient(socketPath: socket)
            let result: Result<SettingsResponse, ControlError>
            do throws(ControlError) { result = .success(try await client.settings()) } catch {
                result = .failure(error)
            }
            await client.close()
            return try result.get()
        } catch {
            console.note("the daemon at \(socket) did not show its settings: \(error.detail)")
            return nil
        }
    }
}
