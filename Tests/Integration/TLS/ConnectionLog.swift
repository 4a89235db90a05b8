import CausewayTLS
import NIOCore

/// The events of one connection on the application side.
struct ConnectionLog: Sendable {
    enum Entry: Sendable, Equatable {
        case secured
        case bytes
        case inputClosed
        case error(TLSError)
        case inactive
    }

    var entries: [Entry] = []
    var completed: TLSHandshakeCompleted?
    var received: [UInt8] = []
    var tlsErrors: [TLSError] = []
    var otherErrors: [String] = []

    var isOver: Bool { entries.contains(.inactive) }
    var text: String { String(decoding: received, as: UTF8.self) }
}

/// Records the events and data that a `TLSHandler` passes up.
final class Recorder: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    enum Answer: Sendable {
        case none
        case echo
        /// Sends this after the empty line of the request, then closes.
        case reply(String)
    }

    private let log: Watched<ConnectionLog>
    private let answer: Answer

    init(_ log: Watched<ConnectionLog>, answer: Answer = .none) {
        self.log = log
        self.answer = answer
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let buffer = Self.unwrapInboundIn(data)
        log.update { log in
            log.received.append(contentsOf: buffer.readableBytesView)
            if log.entries.last != .bytes { log.entries.append(.bytes) }
        }
        switch answer {
        case .none: break
        case .echo: context.writeAndFlush(Self.wrapOutboundOut(buffer), promise: nil)
        case .reply(let text):
            guard log.value.text.hasSuffix("\r\n\r\n") else { return }
            context.writeAndFlush(Self.wrapOutboundOut(ByteBuffer(string: text)), promise: nil)
            context.close(promise: nil)
        }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if let completed = event as? TLSHandshakeCompleted {
            log.update { log in
                log.completed = completed
                log.entries.append(.secured)
            }
        } else if let event = event as? ChannelEvent, event == .inputClosed {
            log.update { $0.entries.append(.inputClosed) }
        }
        context.fireUserInboundEventTriggered(event)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        log.update { log in
            if let error = error as? TLSError {
                log.tlsErrors.append(error)
                log.entries.append(.error(error))
            } else {
                log.otherErrors.append("\(error)")
            }
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        log.update { $0.entries.append(.inactive) }
        context.fireChannelInactive()
    }
}
