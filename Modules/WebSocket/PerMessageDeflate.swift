internal import CausewayGzip
internal import NIOCore

/// The extension `permessage-deflate` (RFC 7692), as both ends of a connection agreed on it.
///
/// Neither end keeps a context from one message to the next (`server_no_context_takeover`,
/// `client_no_context_takeover`): an end of ours demands that of its peer. So an open connection holds no memory for
/// compression while it carries nothing (with contexts it would be about 300 KiB at each end), messages are compressed
/// and decompressed on any thread and in any order, and a message can be left as it is. Batches of messages, whose
/// repetitions are inside of them, lose nothing by it. While one message is compressed or decompressed, zlib uses at
/// most 268 or 40 KiB.
package struct PerMessageDeflate: Sendable, Hashable {
    /// The window that this end may compress with, as a power of 2 in bytes.
    private let windowBits: Int

    /// The offer of our clients. Servers may choose a smaller window for them.
    static let offer =
        "\(name); \(Parameter.serverNoContext.rawValue); \(Parameter.clientNoContext.rawValue); "
        + Parameter.clientWindow.rawValue

    private static let name = "permessage-deflate"
    private static let windowBitsOfRFC = 8...15

    private enum Parameter: String {
        case serverNoContext = "server_no_context_takeover"
        case clientNoContext = "client_no_context_takeover"
        case serverWindow = "server_max_window_bits"
        case clientWindow = "client_max_window_bits"
    }

    // MARK: - Negotiation

    /// Chooses the first offer of a client that the extension permits; offers with unknown, repeated or invalid
    /// parameters are declined.
    ///
    /// - Parameter values: the values of the request's field `Sec-WebSocket-Extensions`.
    /// - Returns: `nil` to go on without the extension; else with the value of the response's field.
    /// - Throws: when the field is malformed.
    package static func accepting(
        _ values: [String]
    ) throws(WebSocketHandshake.Problem) -> (PerMessageDeflate, response: String)? {
        let offers: [ExtensionOffer]
        do { offers = try ExtensionOffer.parse(values) } catch { throw .extensions }
        for offer in offers where offer.name == name {
            guard let windows = windows(of: offer, isResponse: false) else { continue }
            var response = "\(name); \(Parameter.serverNoContext.rawValue); \(Parameter.clientNoContext.rawValue)"
            if let bits = windows.server { response += "; \(Parameter.serverWindow.rawValue)=\(bits)" }
            return (PerMessageDeflate(windowBits: windows.server ?? windowBitsOfRFC.upperBound), response)
        }
        return nil
    }

    /// Reads the choice of a server that ``offer`` was made to.
    ///
    /// - Parameter values: the values of the response's field `Sec-WebSocket-Extensions`.
    /// - Returns: `nil` if the server chose no extension.
    /// - Throws: when the choice was not offered; the connection must not be used.
    static func chosen(_ values: [String]) throws(WebSocketHandshake.NotCompleted) -> PerMessageDeflate? {
        let choices: [ExtensionOffer]
        do { choices = try ExtensionOffer.parse(values) } catch { throw WebSocketHandshake.NotCompleted() }
        guard let choice = choices.first else { return nil }
        guard choices.count == 1, choice.name == name, let windows = windows(of: choice, isResponse: true),
            choice.parameters.contains(where: { $0.name == Parameter.serverNoContext.rawValue })
        else { throw WebSocketHandshake.NotCompleted() }
        return PerMessageDeflate(windowBits: windows.client ?? windowBitsOfRFC.upperBound)
    }

    /// - Returns: the windows that the parameters name; `nil` if a parameter is unknown, repeated or invalid.
    private static func windows(of offer: ExtensionOffer, isResponse: Bool) -> (server: Int?, client: Int?)? {
        var seen: Set<Parameter> = []
        var windows: (server: Int?, client: Int?) = (nil, nil)
        for element in offer.parameters {
            guard let parameter = Parameter(rawValue: element.name), seen.insert(parameter).inserted else { return nil }
            switch parameter {
            case .serverNoContext, .clientNoContext: guard element.value == nil else { return nil }
            case .serverWindow:
                guard let bits = bits(element.value) else { return nil }
                windows.server = bits
            case .clientWindow:
                // Of a client without a value: it takes whatever the server chooses.
                guard !isResponse, element.value == nil else {
                    guard let bits = bits(element.value) else { return nil }
                    windows.client = bits
                    continue
                }
            }
        }
        return windows
    }

    /// A number of bits, without a zero in front.
    private static func bits(_ value: String?) -> Int? {
        guard let value, let bits = Int(value), windowBitsOfRFC.contains(bits), "\(bits)" == value else { return nil }
        return bits
    }

    // MARK: - Messages

    /// Compresses a message, unless it is small or would not become shorter.
    ///
    /// The work is done on the thread of the caller: about 4 ms for a MiB of JSON.
    ///
    /// - Parameter parts: the data of the message.
    func compressed(_ parts: [ByteBuffer], _ limits: WebSocketLimits) -> ByteBuffer? {
        let count = parts.reduce(0) { $0 + $1.readableBytes }
        // zlib has no window of 256 bytes to compress with.
        guard count >= limits.compressedBytesMin, DeflateBlocks.windowBits.contains(windowBits) else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count)
        for part in parts { bytes += part.readableBytesView }
        guard let blocks = DeflateBlocks.compressed(bytes, windowBits: windowBits), blocks.count < count else {
            return nil
        }
        return ByteBuffer(bytes: blocks)
    }
}
