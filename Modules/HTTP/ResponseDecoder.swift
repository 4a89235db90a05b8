import NIOCore
import NIOHTTP1

/// SwiftNIO's response decoder, a new one for every response.
///
/// Bytes that a server sends beyond the end of one response must never become the beginning of the next. The underlying
/// decoder silently buffers such bytes until they form a complete head, so its state is discarded with the response
/// that it belongs to. Bytes that arrive while no response is expected are an error at once.
final class ResponseDecoder: WriteObservingByteToMessageDecoder {
    typealias InboundOut = HTTPClientResponsePart
    typealias OutboundIn = HTTPClientRequestPart

    /// Bytes that arrived while none were expected, or that were left over when a response was complete.
    struct UnexpectedBytes: Error {}

    /// Called when the first byte of a response arrives.
    var onFirstByte: (() -> Void)?

    /// Whether the last response left bytes behind.
    private(set) var hasLeftover = false

    private let limits: NIOHTTPDecoderLimitConfiguration
    private var current: HTTPResponseDecoder?
    private var isStarted = false
    private var sawByte = false
    private var retired: HTTPResponseDecoder?

    init(limits: HTTPLimits) {
        var configuration = NIOHTTPDecoderLimitConfiguration()
        configuration.maxHeaderFieldSize = limits.headerBytesMax
        configuration.maxHeaderListSize = limits.headerBytesMax
        configuration.maxHeaderFieldCount = limits.headerFieldsMax
        self.limits = configuration
    }

    func write(data: HTTPClientRequestPart) {
        guard case .head = data else { return }
        let fresh = HTTPResponseDecoder(informationalResponseStrategy: .forward, limitConfiguration: limits)
        fresh.write(data: data)
        if isStarted { retired = current }
        current = fresh
        isStarted = false
        sawByte = false
    }

    func decode(context: ChannelHandlerContext, buffer: inout ByteBuffer) throws -> DecodingState {
        let decoder = try started(context: context)
        if !sawByte {
            sawByte = true
            onFirstByte?()
        }
        let state = try decoder.decode(context: context, buffer: &buffer)
        // The decoder below stops at the end of such a response.
        if upgradeRest != nil, state == .needMoreData, var rest = buffer.readSlice(length: buffer.readableBytes) {
            upgradeRest?.writeBuffer(&rest)
        }
        hasLeftover = buffer.readableBytes > 0
        return state
    }

    func decodeLast(
        context: ChannelHandlerContext, buffer: inout ByteBuffer, seenEOF: Bool
    ) throws -> DecodingState {
        guard current != nil else { return .needMoreData }
        guard upgradeRest == nil else { return .needMoreData }
        return try started(context: context).decodeLast(context: context, buffer: &buffer, seenEOF: seenEOF)
    }

    func decoderRemoved(context: ChannelHandlerContext) {
        dropRetired(context: context)
        if isStarted { current?.decoderRemoved(context: context) }
        current = nil
        isStarted = false
    }

    /// The bytes after a response with the status 101, which belong to the other protocol; `nil` without such one.
    private(set) var upgradeRest: ByteBuffer?

    /// To be called with the header of a response with the status 101: it has no body.
    func endHTTP() { upgradeRest = ByteBuffer() }

    /// No response is expected until the next request.
    func endResponse() {
        guard isStarted else { return }
        retired = current
        current = nil
        isStarted = false
    }

    private func started(context: ChannelHandlerContext) throws -> HTTPResponseDecoder {
        dropRetired(context: context)
        guard let current else { throw UnexpectedBytes() }
        if !isStarted {
            isStarted = true
            current.decoderAdded(context: context)
        }
        return current
    }

    /// The decoder retains itself until it is notified of its removal.
    private func dropRetired(context: ChannelHandlerContext) {
        retired?.decoderRemoved(context: context)
        retired = nil
    }
}
