import ArgumentParser
import CausewayControl

struct Logout: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "End the session; says how many messages had not been delivered.",
        discussion: """
            Nothing of the session is sent afterwards. What had not been delivered is failed (session ended), stays \
            in the list of failed messages, and can be sent again after a login of the same account.
            """)

    @OptionGroup var options: CommandOptions

    func run() async throws {
        try await options.run { route, console throws(ControlError) in
            let report = try await route.service.logout()
            try console.answer(report) { _ in
                switch report.unsent {
                case 0: ["Logged out; everything had been delivered"]
                case 1: ["Logged out; 1 message had not been delivered and is failed now"]
                default: ["Logged out; \(report.unsent) messages had not been delivered and are failed now"]
                }
            }
            return .ok
        }
    }
}
