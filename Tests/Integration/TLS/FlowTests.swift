import CausewayTLS
import CausewayTestSupport
import NIOCore
import NIOPosix
import Testing

/// Large amounts of data over real sockets, and a reader that does not read.
@Suite(.timeLimit(.minutes(10)))
struct FlowTests {
    @Test func muchDataArrivesWholeInBothDirections() async throws {
        let certificates = try TestCertificates()
        let server = try await Loopback.listen(certificates.serverContext(), answer: .echo)
        let client = try await Loopback.connect(certificates.client(), port: server.port)
        await client.log.wait { $0.completed != nil }
        var numbers = SeededNumbers(state: 2)
        let bytes = (0..<500_000).flatMap { _ in unsafe withUnsafeBytes(of: numbers.next()) { unsafe Array($0) } }
        for start in stride(from: 0, to: bytes.count, by: 300_000) {
            let part = bytes[start..<min(start + 300_000, bytes.count)]
            client.channel.writeAndFlush(ByteBuffer(bytes: part), promise: nil)
        }
        let log = await client.log.wait { $0.received.count >= bytes.count || $0.isOver }
        #expect(Digest.sha256(log.received) == Digest.sha256(bytes))
        try await client.close()
        try await server.close()
    }

    @Test func aReaderThatDoesNotReadStopsTheWriter() async throws {
        let certificates = try TestCertificates()
        let server = try await Loopback.listen(certificates.serverContext())
        let client = try await Loopback.connect(certificates.client(), port: server.port)
        await client.log.wait { $0.completed != nil }
        let peer = await server.connection()
        await peer.log.wait { $0.completed != nil }
        try await peer.channel.setOption(.autoRead, value: false).get()

        let part = ByteBuffer(repeating: 5, count: 65536)
        let channel = client.channel
        let written = try await channel.eventLoop.submit {
            var written = 0
            while channel.isWritable, written < 256 * 1024 * 1024 {
                channel.writeAndFlush(part, promise: nil)
                written += part.readableBytes
            }
            return written
        }.get()
        // The capacity of the two sockets' buffers, and no more.
        #expect(written < 32 * 1024 * 1024)
        #expect(peer.log.value.received.count < written)

        try await peer.channel.setOption(.autoRead, value: true).get()
        let log = await peer.log.wait { $0.received.count >= written || $0.isOver }
        #expect(log.received.count == written)
        try await client.close()
        try await server.close()
    }
}
