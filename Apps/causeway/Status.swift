import ArgumentParser
import CausewayCommandLine
import CausewayControlAPI
import CausewayDaemon

struct Status: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show session, connection, outbox, and required actions.")

    @OptionGroup var options: CommandOptions

    func run() async throws {
        try await options.run(showsNotices: false) { route, console throws(ControlError) in
            let status = try await route.service.status()
            try console.report(status) { MessageDetails.lines(status, for: $0) }
            return .ok
        }
    }
}

struct Probe: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Check for the server now instead of at the next scheduled time.")

    @OptionGroup var options: CommandOptions

    func run() async throws {
        try await options.run { route, console throws(ControlError) in
            try await route.service.probe()
            try console.report(["probing": true]) { _ in ["Checking for the server"] }
            return .ok
        }
    }
}
