import CausewayHTTP
import CausewaySystem
import CausewayTestSupport
import HTTPTypes
import NIOCore
import Synchronization
import Testing

/// Transfers of tasks that prefer an executor.
@Suite(.timeLimit(.minutes(10))) struct TransferExecutorTests {
    /// A receiver of one byte at a time, and another task on its thread, which begins with the first byte.
    private final class Receiver: Sendable {
        let thread = BlockingThreads("receiver", .serial)
        let log = Log()
        private let other = Mutex(Task<Void, Never>?.none)

        func receive(_ bytes: [UInt8]) {
            log.add("\(bytes.count) byte")
            other.withLock { other in
                guard other == nil else { return }
                other = Task(executorPreference: thread) { [log] in log.add("another task") }
            }
        }

        func end() async { await other.withLock { $0 }?.value }
    }

    /// The bytes that are here already are passed on in parts; another task of the same executor does not wait for all.
    @Test func aReceiverLeavesItsThreadToOthersBetweenParts() async throws {
        try await ScriptedServer.run { connection in
            guard try await connection.readHead() != nil else { return }
            try await connection.write("HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\n12345678")
            try await connection.untilClosed()
        } body: { port in
            var limits = HTTPLimits()
            limits.transferBytesHeldMax = 1
            try await withClient(port: port, limits: limits) { client in
                let receiver = Receiver()
                try await withTaskExecutorPreference(receiver.thread) {
                    _ = try await client.transfer(
                        HTTPTransfer(
                            HTTPClientRequest(method: .get, path: "/"),
                            receiver: ResponseBodyReceiver { _, _ in
                                true
                            } receive: {
                                receiver.receive($0)
                            }))
                }
                await receiver.end()
                let rest = Array(repeating: "1 byte", count: 7)
                #expect(receiver.log.lines == ["1 byte", "another task"] + rest)
            }
        }
    }
}
