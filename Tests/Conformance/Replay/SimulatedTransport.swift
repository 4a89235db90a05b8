import CausewayModels
import CausewayRuntime
import CausewayTransport
import Synchronization

/// A connection to a ``SimulatedServer``, with the errors that the real one would have.
final class SimulatedTransport: Transport {
    let capabilities = TransportCapabilities(ordering: .sequenced)
    private let server: SimulatedServer
    private let user: UserID
    private let runtime: any Runtime
    private let isClosed = Mutex(false)

    init(to server: SimulatedServer, user: UserID, runtime: any Runtime) {
        self.server = server
        self.user = user
        self.runtime = runtime
    }

    func authenticate(
        knowing history: ServerHistory?, outbox: OutboxID?
    ) async throws(TransportError) -> ServerInfo {
        switch try await arrival() {
        case .open: break
        case .cut: throw .unreachable(detail: "cut")
        case .silent(let lineNumber, arrives: _):
            await silence(while: lineNumber)
            throw .unreachable(detail: "cut off")
        }
        try checkToken()
        return ServerInfo(user: user, server: "simulated")
    }

    func deliver(_ delivery: Delivery) async throws(TransportError) -> DeliveryReport {
        switch try await arrival() {
        case .open: break
        case .cut: throw .unreachable(detail: "cut")
        case .silent(let lineNumber, let arrives):
            if arrives { _ = try server.receive(delivery) }
            await silence(while: lineNumber)
            throw .inDoubt(detail: "cut off")
        }
        try checkToken()
        let report = try server.receive(delivery)
        await travel()
        return report
    }

    func messages(_ query: RemoteQuery) async throws(TransportError) -> RemotePage {
        RemotePage(items: [], hasMore: false)
    }

    func lookup(_ id: MessageID) async throws(TransportError) -> ServerPosition? { nil }

    func close() async { isClosed.withLock { $0 = true } }

    private var isOver: Bool { isClosed.withLock { $0 } || Task.isCancelled }

    private func checkToken() throws(TransportError) {
        guard !server.isTokenRefused else {
            throw .actionRequired(ActionRequired(cause: .tokenRefused, detail: "refused"))
        }
    }

    /// The fate of a request, when it has travelled. One that was sent into a silent line stays in it, even if the line
    /// works again before it would have arrived.
    private func arrival() async throws(TransportError) -> SimulatedServer.Way {
        let departure = server.way
        await travel()
        guard !isOver else { throw .unreachable(detail: "closed") }
        if case .silent = departure { return departure }
        return server.way
    }

    /// Waits up to 20 ms, at random: events in the meantime must not change how a scenario ends.
    private func travel() async {
        await runtime.sleep(until: runtime.now + .microseconds(Int64(runtime.random() % 20_000)))
    }

    private func silence(while lineNumber: Int) async {
        while server.lineNumber == lineNumber, !isOver {
            await runtime.sleep(until: runtime.now + .milliseconds(10))
        }
    }
}
