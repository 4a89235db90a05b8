import ArgumentParser
import CausewayCommandLine
import CausewayControlAPI
import CausewayDaemon

struct Logout: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "End the session, and print the number of undelivered messages.",
        discussion: """
            Nothing of the session is sent afterwards. Undelivered messages fail (session ended), stay \
            in the list of failed messages, and can be resent after the same account logs in again.
            """)

    @OptionGroup var options: CommandOptions

    func run() async throws {
        try await options.run { route, console throws(ControlError) in
            let report = try await route.service.logout()
            try console.report(report) { _ in
                switch report.unsent {
                case 0: ["Logged out; all messages had been delivered"]
                case 1: ["Logged out; 1 undelivered message failed"]
                default: ["Logged out; \(report.unsent) undelivered messages failed"]
                }
            }
            return .ok
        }
    }
}
