import ArgumentParser
import CausewayControl

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
