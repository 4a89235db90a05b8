import CausewayTestSupport
import Foundation
import Testing

/// The example chat, on a real terminal and with a real hub.
@Suite struct TerminalChatTests {
    private let home: Home

    init() throws { home = try Home() }

    private func chat(_ hub: TestHub) throws -> Terminal {
        try Terminal(
            .chat,
            [
                "--store", home.path + "/chat", "--server", hub.address, "--ca", hub.authority, "--token-file",
                hub.tokenFile, "general", "random",
            ], environment: home.environment)
    }

    @Test func whatIsTypedIsSentOrWaitsAndIsThereTheNextTime() async throws {
        let hub = try await TestHub.start(in: home)
        let first = try chat(hub)
        try await first.shows("general > ")
        first.type("hello\u{7F}\u{7F}p\r")
        let row = try await first.shows("ann: help")
        // On the server: it is no longer marked.
        try await Eventually.holds("it is delivered:\n\(first.screen.text)") {
            !["queued", "sending"].contains { first.screen.rows[row].contains($0) }
        }

        await hub.process.stop()
        first.type("and later\r")
        try await first.shows("queued", "ann: and later")
        try await first.shows("outbox 1 waiting, 0 failed")
        first.type("\t")
        try await first.shows("random > ")
        first.type("\u{1B}[A")
        try await first.shows("general > ")
        first.type("\u{3}")
        #expect(try await first.ended() == 128 + SIGINT)
        // Its last output may be read after its end.
        try await Eventually.holds("the terminal is given back:\n\(first.screen.text)") {
            !first.screen.isSecondPage && first.screen.hasCursor
        }
        #expect(first.screen.unknown == [])
        #expect(first.settings == (try Terminal.settingsOfANewOne()))

        // Without the server it continues with the stored messages, and sends when the server is available again.
        let second = try chat(hub)
        try await second.shows("ann: help")
        try await second.shows("queued", "ann: and later")
        let again = try await hub.again()
        try await Eventually.holds("it is delivered:\n\(second.screen.text)") {
            second.screen.rows.contains { $0.contains("ann: and later") && !$0.contains("queued") }
                && !second.screen.text.contains("waiting")
        }
        second.type("\u{4}")
        #expect(try await second.ended() == 0)
        await again.process.stop()
    }

    @Test func keysLookBack() async throws {
        let hub = try await TestHub.start(in: home)
        let terminal = try chat(hub)
        try await terminal.shows("general > ")
        for number in 0..<25 {
            terminal.type("line \(number) of 25\r")
            try await terminal.shows("ann: line \(number) of")
        }
        // Twelve rows, ten of which are messages.
        for (keys, newest) in [("\u{1B}[5~", 14), ("\u{1B}[6~", 24), ("\u{1B}[5~", 14), ("\u{1B}[F", 24)] {
            terminal.type(keys)
            try await Eventually.holds("\(newest) below all in:\n\(terminal.screen.text)") {
                terminal.screen.rows[9].contains("line \(newest) of")
            }
        }
        terminal.type("\u{4}")
        #expect(try await terminal.ended() == 0)
        await hub.process.stop()
    }

    @Test func aTokenFileThatOthersCanReadIsRefused() async throws {
        let file = home.path + "/shared.token"
        for mode in [0o640, 0o604, 0o660] {
            try Data("secret".utf8).write(to: URL(fileURLWithPath: file))
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file)
            let outcome = try await Program.chat.run(
                [
                    "--store", home.path + "/chat", "--server", "https://localhost:1", "--token-file", file, "general",
                ], environment: home.environment)
            #expect(outcome.status == 1)
            #expect(outcome.errors.contains("can be read by others") && !outcome.errors.contains("secret\n"))
        }
    }

    @Test func itSaysWhatIsMissing() async throws {
        let outcome = try await Program.chat.run(["--store", home.path], environment: home.environment)
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains("or a channel is missing") && outcome.errors.contains("usage:"))
    }
}
