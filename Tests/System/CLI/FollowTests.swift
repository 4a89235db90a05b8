import CausewayTestSupport
import Foundation
import Testing

/// `causeway messages --follow`, on a real terminal and into a pipe.
@Suite struct FollowTests {
    private let home: Home
    private static let before = "what stood there before\r\n"

    init() throws { home = try Home() }

    private func loggedIn(daemon: Bool) async throws -> (hub: TestHub, daemon: RunningProgram?) {
        let hub = try await TestHub.start(in: home)
        var program: RunningProgram?
        if daemon {
            program = try Program.causewayd.start(["--restart", "resume"], environment: home.environment)
            try await program?.says("ready")
        }
        let login = try await home.causeway("login", hub.address, "--ca", hub.authority, "--token-file", hub.tokenFile)
        #expect(login.status == 0)
        return (hub, program)
    }

    private func follow(_ arguments: String...) throws -> Terminal {
        try Terminal(
            .causeway, ["messages", "general", "--follow"] + arguments, environment: home.environment,
            before: Self.before)
    }

    /// Waits until settings and screen are as they were before the program ran.
    ///
    /// The program's output is read by another thread, so neither its end nor a part of the screen shows that all of it
    /// has been processed.
    ///
    /// - Parameter resized: after a resize the model of the screen no longer contains the earlier text.
    private func expectUntouched(
        _ terminal: Terminal, _ settings: Terminal.Settings, resized: Bool = false
    ) async throws {
        try await Eventually.holds("the first page:\n\(terminal.screen.text)") {
            let screen = terminal.screen
            return !screen.isSecondPage && screen.hasCursor && screen.wraps
        }
        try await Eventually.holds("the settings of before") { terminal.settings == settings }
        let screen = terminal.screen
        if !resized { #expect(screen.rows[0].hasPrefix("what stood there before")) }
        #expect(screen.unknown == [])
    }

    @Test func aStateChangesWhereItStandsAndControlCLeavesEverythingAsItWas() async throws {
        let (hub, daemon) = try await loggedIn(daemon: true)
        #expect(try await home.causeway("send", "general", "--wait", "日本\u{1B}[2J first").status == 0)
        let terminal = try follow()
        let plain = try Terminal.settingsOfANewOne()
        let first = try await terminal.shows("synced", #"日本\u{1b}[2J first"#)
        #expect(terminal.settings != plain)

        await hub.process.stop()
        #expect(try await home.causeway("send", "general", "second").status == 0)
        let row = try await terminal.shows("created", "second", "offline")
        #expect(row == first + 1)
        let again = try await hub.again()
        #expect(try await terminal.shows("synced", "second") == row)
        #expect(terminal.screen.rows.count { $0.contains("second") } == 1)

        terminal.resize(columns: 60, rows: 5)
        try await terminal.shows("q quits")
        try await terminal.shows("synced", "second")
        terminal.type("\u{3}")
        let status = try await terminal.ended()
        #expect(status & 0x7F == SIGINT)
        try await expectUntouched(terminal, plain, resized: true)
        await daemon?.stop()
        await again.process.stop()
    }

    @Test(arguments: [SIGINT, SIGTERM, SIGHUP, SIGQUIT])
    func aSignalLeavesTheTerminalAsItWas(_ signal: Int32) async throws {
        let (hub, _) = try await loggedIn(daemon: false)
        let terminal = try follow()
        try await terminal.shows("q quits")
        kill(terminal.pid, signal)
        #expect(try await terminal.ended() == 128 + signal)
        try await expectUntouched(terminal, try Terminal.settingsOfANewOne())
        await hub.process.stop()
    }

    @Test(arguments: [SIGKILL, SIGTERM])
    func theDaemonsEndLeavesTheTerminalAsItWasAndIsTold(_ signal: Int32) async throws {
        let (hub, daemon) = try await loggedIn(daemon: true)
        let terminal = try follow()
        try await terminal.shows("q quits")
        await daemon?.stop(signal)
        #expect(try await terminal.ended() == 69)
        try await terminal.shows("causeway: the event stream of the daemon at", "ended")
        try await expectUntouched(terminal, try Terminal.settingsOfANewOne())
        await hub.process.stop()
    }

    @Test func aStoppedProgramLendsTheTerminalAndTakesItBack() async throws {
        let (hub, _) = try await loggedIn(daemon: false)
        let terminal = try follow()
        try await terminal.shows("q quits")
        kill(terminal.pid, SIGTSTP)
        try await expectUntouched(terminal, try Terminal.settingsOfANewOne())
        kill(terminal.pid, SIGCONT)
        try await terminal.shows("q quits")
        terminal.type("q")
        #expect(try await terminal.ended() == 0)
        try await expectUntouched(terminal, try Terminal.settingsOfANewOne())
        await hub.process.stop()
    }

    /// The drawing thread is blocked in the terminal, and could not receive an event.
    @Test(arguments: [SIGINT, SIGTERM])
    func aSignalEndsItThoughTheTerminalTakesNothing(_ signal: Int32) async throws {
        let (hub, _) = try await loggedIn(daemon: false)
        let terminal = try follow()
        try await terminal.shows("q quits")
        terminal.stall()
        var rows = 100
        // It also refuses while a frame is being written, so a single refusal proves nothing.
        var refusals = 0
        try await Eventually.holds("a terminal that is full") {
            refusals = terminal.takesMore ? 0 : refusals + 1
            // Each resize causes one more frame.
            if refusals == 0 {
                rows = rows == 100 ? 99 : 100
                terminal.resize(columns: 300, rows: rows)
            }
            return refusals == 50
        }
        kill(terminal.pid, signal)
        #expect(try await terminal.ended() == 128 + signal)
        #expect(terminal.settings == (try Terminal.settingsOfANewOne()))
        await hub.process.stop()
    }

    @Test func keysLookBack() async throws {
        let (hub, _) = try await loggedIn(daemon: false)
        let outcome = try await home.causeway("send", "general", "--wait", "message 0 of 20")
        #expect(outcome.status == 0)
        for number in 1..<20 {
            #expect(try await home.causeway("send", "general", "--wait", "message \(number) of 20").status == 0)
        }
        let terminal = try follow()
        // Twelve rows: eleven messages, and the status line.
        try await terminal.shows("message 19 of")
        for (keys, top, below) in [
            ("\u{1B}[5~", 0, 9), ("\u{1B}[6~", 9, 0), ("\u{1B}[A", 8, 1), ("k", 7, 2), ("\u{1B}OB", 8, 1), ("j", 9, 0),
            ("g", 0, 9), ("\u{1B}[F", 9, 0), ("b", 0, 9), (" ", 9, 0), ("\u{1B}[H", 0, 9), ("G", 9, 0),
        ] {
            terminal.type(keys)
            try await terminal.shows(below == 0 ? "q quits" : " \(below) newer below")
            #expect(terminal.screen.rows[0].contains("message \(top) of"), "after \(keys.debugDescription)")
        }
        terminal.type("q")
        #expect(try await terminal.ended() == 0)
        await hub.process.stop()
    }

    @Test(arguments: [true, false])
    func intoAPipeEachChangeIsAnObject(_ hasDaemon: Bool) async throws {
        let (hub, daemon) = try await loggedIn(daemon: hasDaemon)
        #expect(try await home.causeway("send", "general", "--wait", "one").status == 0)
        let lines = try PipeLines()
        let process = try Program.causeway.start(
            ["messages", "general", "--follow", "--json"], environment: home.environment,
            output: .descriptor(lines.writingEnd))
        try await lines.has(#"{"change":"inserted","message":{"#, #""state":"synced""#, #""text":"one""#)
        if hasDaemon {
            #expect(try await home.causeway("send", "general", "two").status == 0)
            try await lines.has(#""text":"two""#, #""state":"synced""#)
        }
        // The reader closes the pipe; the program detects that without writing.
        lines.close()
        #expect(await process.ended() == 128 + SIGPIPE)
        await daemon?.stop()
        await hub.process.stop()
    }
}
