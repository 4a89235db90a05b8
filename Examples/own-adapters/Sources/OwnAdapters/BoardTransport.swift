package import Causeway
import Synchronization

/// A transport to a ``Board``.
package final class BoardTransport: Transport {
    /// The board keeps lanes as chains, and has neither edits nor reactions.
    package let capabilities = TransportCapabilities(ordering: .sequenced, operations: [.create, .delete])
    private let board: any Board
    private let token: AccessToken
    private let timeout: Duration
    /// The calls under way by number; `nil` once the transport is closed.
    private let calls = Mutex<[Int: @Sendable () -> Void]?>([:])
    private let lastCall = Atomic<Int>(0)

    /// - Parameter timeout: the longest time that a call waits for an answer.
    package init(to board: any Board, token: AccessToken, timeout: Duration = .seconds(30)) {
        (self.board, self.token, self.timeout) = (board, token, timeout)
    }

    package func authenticate(
        knowing history: ServerHistory?, outbox: OutboxID?
    ) async throws(TransportError) -> ServerInfo {
        try await ask { [board, token] in ServerInfo(user: try await board.member(token), server: "board/1") }
    }

    package func deliver(_ delivery: Delivery) async throws(TransportError) -> DeliveryReport {
        try await ask { [board, token] in try await board.apply(delivery, from: token) }
    }

    package func messages(_ query: RemoteQuery) async throws(TransportError) -> RemotePage {
        try await ask { [board, token] in try await board.page(query, for: token) }
    }

    package func lookup(_ id: MessageID) async throws(TransportError) -> ServerPosition? {
        try await ask { [board, token] in try await board.position(of: id, for: token) }
    }

    package func close() async {
        let open = calls.withLock { calls in
            defer { calls = nil }
            return calls ?? [:]
        }
        for cancel in open.values { cancel() }
    }

    /// Sends a request, and ends it when the caller's task is cancelled, after the time-out, and when the transport is
    /// closed.
    private func ask<Answer: Sendable>(
        _ request: @escaping @Sendable () async throws -> Answer
    ) async throws(TransportError) -> Answer {
        let call = Task {
            guard !Task.isCancelled else { throw BoardError.noBoard }
            return try await request()
        }
        let number = lastCall.add(1, ordering: .relaxed).newValue
        let isOpen = calls.withLock { calls in
            calls?[number] = { call.cancel() }
            return calls != nil
        }
        guard isOpen else {
            call.cancel()
            throw .unreachable(detail: "the transport is closed")
        }
        let timer = Task { [timeout] in
            try await Task.sleep(for: timeout)
            call.cancel()
        }
        let answer = await withTaskCancellationHandler(operation: { await call.result }, onCancel: { call.cancel() })
        timer.cancel()
        calls.withLock { _ = $0?.removeValue(forKey: number) }
        switch answer {
        case .success(let answer): return answer
        case .failure(let error): throw Self.classified(error)
        }
    }

    /// A failure in the terms of the outbox. Anything that is not known to have changed nothing is in doubt.
    private static func classified(_ error: any Error) -> TransportError {
        switch error as? BoardError {
        case .noBoard: .unreachable(detail: "there is no board")
        case .notAMember:
            .actionRequired(ActionRequired(cause: .tokenRefused, detail: "the token belongs to no member"))
        case .noChannel: .refused(code: "noChannel", detail: "the board has no such channel")
        case .busy: .transient(code: "busy", detail: "the board is busy")
        case .wait(let time): .rateLimited(after: time, detail: "the board asks to wait")
        case .noAnswer, nil: .inDoubt(detail: "the board did not answer")
        }
    }
}
