import COpenSSL
import CausewayTLS
import CausewayTestSupport
import NIOCore
import NIOEmbedded
import Testing

/// Peers that cause messages of TLS itself.
@Suite(.timeLimit(.minutes(10)))
struct UnreadMessageTests {
    /// More of them than may wait: each has a record of its own.
    private static let updates = TLSLimits.unsentMessageBytesMax / 20

    @Test func aPeerThatReadsNoKeyUpdatesIsCutOff() throws {
        let server = try Server()
        server.socket.isFull = true
        var requests = 0
        while server.log.value.tlsErrors.isEmpty, requests < Self.updates {
            requests += 1
            try server.receive(server.client.requestKeyUpdate())
        }
        let limit = TLSLimits.unsentMessageBytesMax
        #expect(server.log.value.tlsErrors == [.unreadMessages(limitBytes: limit)])
        #expect((limit..<limit + 1024).contains(server.socket.heldBytes))
        // Nothing of it is processed any more.
        let held = server.socket.heldBytes
        try server.receive(server.client.requestKeyUpdate())
        #expect(server.socket.heldBytes == held)
        server.channel.embeddedEventLoop.advanceTime(by: .seconds(TLSLimits.closeFlushSecondsMax))
        #expect(!server.channel.isActive)
    }

    @Test func aPeerThatReadsKeyUpdatesMayRequestAnyNumber() throws {
        let server = try Server()
        for _ in 0..<Self.updates {
            try server.receive(server.client.requestKeyUpdate())
            try server.carryBack()
        }
        #expect(server.log.value.tlsErrors.isEmpty)
        #expect(server.channel.isActive)
        server.channel.end()
    }

    /// A server's handler, secured with OpenSSL's own client.
    private final class Server {
        let channel = EmbeddedChannel()
        let socket = FullSocket()
        let log = Watched(ConnectionLog())
        let client: RawClient

        init() throws {
            let certificates = try TestCertificates()
            client = try RawClient()
            try channel.pipeline.syncOperations.addHandlers([
                socket, certificates.serverContext().makeHandler(), Recorder(log),
            ])
            try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1), promise: nil)
            for _ in 0..<4 {
                client.handshake()
                try receive(client.takeOutput())
                try carryBack()
            }
            try #require(log.value.completed != nil)
        }

        func receive(_ bytes: ByteBuffer) throws {
            // Like a socket with automatic reading.
            channel.read()
            try channel.writeInbound(bytes)
        }

        func carryBack() throws {
            while let bytes = try channel.readOutbound(as: ByteBuffer.self) { client.receive(bytes) }
        }
    }

    /// A socket whose peer may stop reading.
    private final class FullSocket: ChannelOutboundHandler {
        typealias OutboundIn = ByteBuffer

        var isFull = false
        private(set) var heldBytes = 0
        private var promises: [EventLoopPromise<Void>] = []

        func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
            guard isFull else { return context.write(data, promise: promise) }
            heldBytes += unwrapOutboundIn(data).readableBytes
            if let promise { promises.append(promise) }
        }

        func handlerRemoved(context: ChannelHandlerContext) {
            for promise in promises { promise.fail(ChannelError.ioOnClosedChannel) }
            promises = []
        }
    }

    /// A client that trusts everything, and whose bytes the test carries.
    @safe
    private final class RawClient {
        private let context: OpaquePointer
        private let ssl: OpaquePointer
        /// Owned by `ssl`.
        private let input: OpaquePointer
        private let output: OpaquePointer

        init() throws {
            guard let context = unsafe SSL_CTX_new(TLS_client_method()), let ssl = unsafe SSL_new(context),
                let input = unsafe BIO_new(BIO_s_mem()), let output = unsafe BIO_new(BIO_s_mem())
            else { throw CancellationError() }
            unsafe self.context = context
            unsafe self.ssl = ssl
            unsafe self.input = input
            unsafe self.output = output
            unsafe SSL_set_bio(ssl, input, output)
            unsafe SSL_set_connect_state(ssl)
        }

        deinit {
            unsafe SSL_free(ssl)
            unsafe SSL_CTX_free(context)
            ERR_clear_error()
        }

        func handshake() {
            ERR_clear_error()
            _ = unsafe SSL_do_handshake(ssl)
        }

        /// Updates the client's keys, and requests an update of the server's.
        func requestKeyUpdate() -> ByteBuffer {
            ERR_clear_error()
            _ = unsafe SSL_key_update(ssl, SSL_KEY_UPDATE_REQUESTED)
            _ = unsafe SSL_do_handshake(ssl)
            return takeOutput()
        }

        /// Takes the server's bytes; an update of its keys is processed.
        func receive(_ bytes: ByteBuffer) {
            let bytes = Array(bytes.readableBytesView)
            _ = unsafe bytes.withUnsafeBytes { unsafe BIO_write(input, $0.baseAddress, Int32($0.count)) }
            ERR_clear_error()
            var byte: UInt8 = 0
            _ = unsafe SSL_read(ssl, &byte, 1)
            ERR_clear_error()
        }

        func takeOutput() -> ByteBuffer {
            var bytes = [UInt8](repeating: 0, count: unsafe Int(BIO_ctrl_pending(output)))
            _ = unsafe bytes.withUnsafeMutableBytes { unsafe BIO_read(output, $0.baseAddress, Int32($0.count)) }
            return ByteBuffer(bytes: bytes)
        }
    }
}
