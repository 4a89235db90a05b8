import ArgumentParser
import CausewayCommandLine
import CausewayConfiguration
import CausewayControlAPI
import CausewayDaemon
import Foundation

struct Login: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Log in to a server, or renew the token of the session.",
        discussion: """
            The token is read from --token-file (- for standard input), from CAUSEWAY_TOKEN, or from a prompt without \
            echo, never from the command line, which others can read. It is stored beside the store in \
            a file that only you can read.

            --ca names the authorities trusted for the server's certificate. They are copied and stored with \
            the server's address, so the file is not needed afterwards.

            The server's address begins with https: (requests), wss: (one WebSocket for everything) or auto: (a \
            WebSocket, and requests while there is none). All three are the same account.
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
            try console.report(session) { _ in ["Logged in as \(session.user) at \(session.server)"] }
            return .ok
        }
    }
}
