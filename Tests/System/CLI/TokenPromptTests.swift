import CausewayTestSupport
import Foundation
import Testing

/// The prompt of `causeway login`, on a real terminal.
@Suite struct TokenPromptTests {
    private let home: Home

    init() throws { home = try Home() }

    private func isHidden(_ terminal: Terminal) -> Bool { terminal.settings.local & tcflag_t(ECHO) == 0 }

    /// A prompt that hides what is typed.
    private func prompt() async throws -> Terminal {
        let terminal = try Terminal(.causeway, ["login", "https://localhost:1"], environment: home.environment)
        try await terminal.shows("Token:")
        try await Eventually.holds("hidden input") { isHidden(terminal) }
        return terminal
    }

    @Test func whatIsTypedIsReadAndNotShown() async throws {
        let terminal = try await prompt()
        terminal.type("two words\r")
        try await terminal.shows("invalid token from the prompt")
        #expect(try await terminal.ended() != 0)
        #expect(!terminal.screen.text.contains("two words"))
        #expect(terminal.settings == (try Terminal.settingsOfANewOne()))
    }

    /// Otherwise the next program shows nothing of what is typed either.
    @Test(arguments: [SIGINT, SIGTERM, SIGHUP])
    func aSignalEndsItAndGivesTheTerminalBack(_ signal: Int32) async throws {
        let terminal = try await prompt()
        if signal == SIGINT { terminal.type("\u{3}") } else { kill(terminal.pid, signal) }
        #expect(try await terminal.ended() == 128 + signal)
        #expect(terminal.settings == (try Terminal.settingsOfANewOne()))
    }

    @Test func aStoppedPromptLendsTheTerminalAndHidesAgain() async throws {
        let terminal = try await prompt()
        let plain = try Terminal.settingsOfANewOne()
        kill(terminal.pid, SIGTSTP)
        try await Eventually.holds("the settings of before") { terminal.settings == plain }
        try await Eventually.holds("hidden input") {
            // Again, since the first one may precede the stop.
            kill(terminal.pid, SIGCONT)
            return isHidden(terminal)
        }
        terminal.type("\u{3}")
        #expect(try await terminal.ended() == 128 + SIGINT)
        #expect(terminal.settings == plain)
    }
}
