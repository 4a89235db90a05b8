internal import CausewayGzip
package import NIOCore

/// The type of the data in a message.
package enum WebSocketMessageKind: Sendable, Hashable {
    case text, binary
}

/// A complete message of the peer, as it arrived. Its content is made where it is needed, because decompressing costs
/// time and memory.
package struct WebSocketMessage: Sendable {
    package let kind: WebSocketMessageKind
    /// Whether ``content(growing:)`` decompresses.
    package let isCompressed: Bool
    /// As it arrived; a text that is not compressed is in UTF-8.
    let payload: ByteBuffer
    /// The most bytes of the content.
    private let bytesMax: Int

    /// Bytes of the message as it arrived.
    package var payloadBytes: Int { payload.readableBytes }

    init(_ payload: ByteBuffer, _ kind: WebSocketMessageKind, isCompressed: Bool, bytesMax: Int) {
        self.payload = payload
        self.kind = kind
        self.isCompressed = isCompressed
        self.bytesMax = bytesMax
    }

    /// Returns the content, a text in UTF-8. It is decompressed on the thread of the caller, about 2 ms for a MiB of
    /// JSON, and uses hardly more memory than the limit of a message, whatever it would become.
    ///
    /// - Parameter growing: called with the number of further bytes before they are kept, unless the message is not
    ///   compressed; may refuse.
    /// - Throws: the close frame with which a violation is answered: 1009 for content over the limit, 1007 for what
    ///   cannot be decompressed, and for a text that is not UTF-8; or the error of `growing`.
    package func content(growing: (Int) throws -> Void = { _ in }) throws -> [UInt8] {
        guard isCompressed else { return Array(payload.readableBytesView) }
        let content: [UInt8]
        do {
            content = try DeflateBlocks.decompressed(
                Array(payload.readableBytesView), bytesMax: bytesMax, growing: growing)
        } catch let error as GzipError {
            if case .tooLarge = error { throw MessageAssembler.tooLarge(bytesMax) }
            throw WebSocketClose(.invalidData, "a message that cannot be decompressed")
        }
        var text = UTF8Validator()
        guard kind == .binary || text.append(content, isLast: true) else { throw MessageAssembler.notUTF8 }
        return content
    }
}

/// A message that is sent, compressed or not.
package struct OutgoingMessage: Sendable {
    let parts: [ByteBuffer]
    let isCompressed: Bool

    /// Compresses the data on the thread of the caller if that was agreed and saves bytes.
    package init(_ parts: [ByteBuffer], _ compression: PerMessageDeflate?, _ limits: WebSocketLimits) {
        let compressed = compression?.compressed(parts, limits)
        self.parts = compressed.map { [$0] } ?? parts
        isCompressed = compressed != nil
    }
}
