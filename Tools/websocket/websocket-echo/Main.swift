import CausewayHTTP
import Foundation

/// Either end of our WebSocket connections as an echo, for conformance suites: see `Tools/test-websocket`.
@main
struct Main {
    private static let usage = """
        usage: websocket-echo serve                an echo server; prints its port
               websocket-echo connect URL AGENT    runs every case of a suite's server at http://HOST:PORT
        """

    static func main() async {
        let arguments = CommandLine.arguments.dropFirst()
        do {
            switch (arguments.first, arguments.count) {
            case ("serve", 1): try await EchoServer.run()
            case ("connect", 3):
                let suite = try CaseSuite(url: arguments[2], agent: arguments[3])
                print("\(try await suite.run()) cases")
            default: fail(usage)
            }
        } catch {
            fail("websocket-echo: \(error)")
        }
    }

    private static func fail(_ text: String) -> Never {
        try? FileHandle.standardError.write(contentsOf: Data("\(text)\n".utf8))
        exit(1)
    }
}
