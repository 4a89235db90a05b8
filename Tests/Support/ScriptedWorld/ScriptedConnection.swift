package import Causeway
import Synchronization

/// A client's connection to a ``ScriptedServer``.
package final class ScriptedConnection: Transport {
    package let capabilities = TransportCapabilities(
        ordering: .sequenced, batchBytesMax: 1 << 20, records: [ScriptedRecords.list.kind])
    let server: ScriptedServer
    private let token: AccessToken
    private let timeout: Duration
    private let runtime = SystemRuntime()
    private let isClosed = Mutex(false)

    init(to server: ScriptedServer, token: AccessToken, timeout: Duration) {
        self.server = server
        self.token = token
        self.timeout = timeout
    }

    package func authenticate(
        knowing history: ServerHistory?, outbox: OutboxID?
    ) async throws(TransportError) -> ServerInfo {
        let isHeld = server.state.withLock { state -> Bool in
            if state.holdsAuthentications { state.authenticationsHeld += 1 }
            return state.holdsAuthentications
        }
        if isHeld { await wait { server.state.withLock { $0.holdsAuthentications } } }
        try check()
        return ServerInfo(user: try user(), server: "scripted/1")
    }

    package func deliver(_ delivery: Delivery) async throws(TransportError) -> DeliveryReport {
        try check()
        let user = try user()
        let mode = server.state.withLock { state in
            if case .losingRequests = state.mode {} else { state.deliveriesSeen += 1 }
            return state.mode
        }
        switch mode {
        case .busy: throw .transient(code: "503", detail: "busy")
        case .rateLimiting(let after): throw .rateLimited(after: after, detail: "slow down")
        case .losingRequests, .malformed: throw .inDoubt(detail: "no response of the protocol")
        case .losingResponses:
            _ = server.state.withLock { $0.apply(delivery, of: user) }
            throw .inDoubt(detail: "cut off")
        case .stalled:
            await waitWhileStalled()
            throw .inDoubt(detail: "no response")
        case .working, .unreachable, .refusing, .refusingToken:
            return server.state.withLock { $0.apply(delivery, of: user) }
        }
    }

    package func messages(_ query: RemoteQuery) async throws(TransportError) -> RemotePage {
        try check()
        return try server.state.withLock { state throws(TransportError) in
            guard state.isKnown(query.channel) else {
                throw .refused(code: "channelNotFound", detail: "there is no such channel")
            }
            return state.page(query)
        }
    }

    package func message(
        _ id: MessageID, knowing history: ServerHistory?
    ) async throws(TransportError) -> RemoteMessageState {
        try check()
        return RemoteMessageState(server.state.withLock { $0.message(id) })
    }

    package func lookup(_ id: MessageID) async throws(TransportError) -> ServerPosition? {
        try check()
        return server.state.withLock { $0.deleted.contains(id) ? nil : $0.serverPosition(of: id) }
    }

    package func records(_ query: RemoteRecordsQuery) async throws(TransportError) -> RemoteRecordsPage {
        try check()
        return try ScriptedRecords.page(query)
    }

    package func record(
        _ kind: RecordKind, _ id: String, knowing history: ServerHistory?
    ) async throws(TransportError) -> RemoteRecordState {
        try check()
        return RemoteRecordState(ScriptedRecords.all.first { $0.kind == kind && $0.id == id })
    }

    package var events: (any EventSource)? { server.hasEvents ? ScriptedEventSource(connection: self) : nil }

    package var ephemeral: (any EphemeralEvents)? {
        server.hasEvents ? ScriptedEphemeralEvents(connection: self) : nil
    }

    package func close() async { isClosed.withLock { $0 = true } }

    func check() throws(TransportError) {
        if isClosed.withLock({ $0 }) { throw .unreachable(detail: "the connection is closed") }
        let (mode, validToken) = server.state.withLock { ($0.mode, $0.validToken) }
        if case .unreachable = mode { throw .unreachable(detail: "nobody listens there") }
        var isRefused = validToken.map { $0 != token } ?? false
        if case .refusingToken = mode { isRefused = true }
        if isRefused { throw .actionRequired(ActionRequired(cause: .tokenRefused, detail: "the token is refused")) }
    }

    func user() throws(TransportError) -> UserID {
        guard let user = UserID("ann") else { throw .unreachable(detail: "an invalid name") }
        return user
    }

    private func waitWhileStalled() async {
        await wait {
            if case .stalled = server.state.withLock({ $0.mode }) { return true }
            return false
        }
    }

    /// Waits while `isHeld`, and no longer than for a response.
    private func wait(while isHeld: () -> Bool) async {
        let deadline = runtime.now + timeout
        while runtime.now < deadline, !Task.isCancelled, !isClosed.withLock({ $0 }), isHeld() {
            await runtime.sleep(until: runtime.now + .milliseconds(1))
        }
    }
}
