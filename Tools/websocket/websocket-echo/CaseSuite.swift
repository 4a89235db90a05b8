import CausewayHTTP
import CausewayWebSocket
import HTTPTypes
import NIOCore
import NIOPosix

/// Runs the cases of a suite's server, which counts them, plays one for each connection, and writes the reports.
struct CaseSuite {
    struct Failed: Error {
        let path: String
        let reason: String
    }

    private let settings: WebSocketSettings
    private let agent: String
    private let loop = MultiThreadedEventLoopGroup.singleton.next()

    init(url: String, agent: String) throws {
        settings = WebSocketSettings(
            endpoint: try HTTPEndpoint(url: url), tls: nil, timeouts: HTTPTimeouts(), proxy: nil, subprotocol: nil,
            limits: Echo.limits)
        self.agent = agent
    }

    /// - Returns: the number of cases.
    func run() async throws -> Int {
        guard let count = Int(try await connect("/getCaseCount")) else {
            throw Failed(path: "/getCaseCount", reason: "the response is not a number")
        }
        for number in 1...max(1, count) { _ = try await connect("/runCase?case=\(number)&agent=\(agent)") }
        _ = try await connect("/updateReports?agent=\(agent)")
        return count
    }

    /// Opens a connection and echoes until it ends, in whichever way.
    ///
    /// - Returns: the last text.
    private func connect(_ path: String) async throws -> String {
        let ended = loop.makePromise(of: String.self)
        let start = loop.submit { [settings, loop] in
            let box = NIOLoopBoundBox<Echo?>(nil, eventLoop: loop)
            let echo = Echo { _ in ended.succeed(box.value?.last ?? "") }
            box.value = echo
            let opening = try WebSocketOpening(
                HTTPClientRequest(method: .get, path: path), settings, on: loop, owner: echo
            ) { outcome in
                switch outcome {
                case .open: break
                case .refused(let response):
                    ended.fail(Failed(path: path, reason: "status \(response.status.code)"))
                case .notAWebSocket(let error), .failed(let error):
                    ended.fail(Failed(path: path, reason: "\(error)"))
                }
            }
            opening.start()
            // Kept until its end.
            ended.futureResult.assumeIsolated().whenComplete { _ in withExtendedLifetime(opening) {} }
        }
        do { try await start.get() } catch { ended.fail(error) }
        return try await ended.futureResult.get()
    }
}
