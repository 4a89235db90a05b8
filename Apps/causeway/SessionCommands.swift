import ArgumentParser
import CausewayControl
import Foundation

struct Login: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Log in to a server, or renew the token of the session.",
        discussion: """
            The token is read from --token-file (- for standard input), from CAUSEWAY_TOKEN, or from a prompt that
            shows nothing of it; never from the command line, which others can read. It is kept beside the store in
            a file that only you can read.

            --ca names the authorities that the server's certificate must come from. They are copied and kept with
            the server's address, so the file may go afterwards.
            """)

    @Argument(help: ArgumentHelp("The server's address, https://chat.example:8443", valueName: "server"))
    var server: String
    @Option(help: ArgumentHelp("Read the token from this file, or from standard input (-).", valueName: "file"))
    var tokenFile: String?
    @OptionGroup var options: CommandOptions

    func run() async throws {
        try await options.run { route, console throws(ControlError) in
            let settings = try options.settings.resolved()
            let input = TokenInput(file: tokenFile, environment: ProcessInfo.processInfo.environment)
            var request = LoginRequest(server: server, token: try await input.token(terminal: console.terminal))
            if let path = settings.ca {
                let pem = try TextFile.read(path, bytesMax: ControlLimits.pemBytesMax, as: .notFound)
                request.authorities = String(decoding: pem, as: UTF8.self)
            }
            request.certificatePath = settings.clientCertificate
            request.keyPath = settings.clientKey
            let session = try await route.service.login(request)
            try console.answer(session) { _ in ["Logged in as \(session.user) at \(session.server)"] }
            return .ok
        }
    }
}

struct Logout: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "End the session; says how many messages had not been delivered.",
        discussion: """
            Nothing of the session is sent afterwards. What had not been delivered is failed (session ended), stays
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

struct Status: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show session, connection, outbox, and what needs attention.")

    @OptionGroup var options: CommandOptions

    func run() async throws {
        try await options.run { route, console throws(ControlError) in
            let status = try await route.service.status()
            try console.answer(status) { MessageDetails.lines(status, for: $0) }
            return .ok
        }
    }
}
