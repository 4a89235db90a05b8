internal import CausewayGzip
internal import NIOCore

/// The bytes of a response, in buffers of their own: waiting bytes keep no other memory alive.
struct ResponseParts: Sendable {
    private(set) var parts: [ByteBuffer] = []
    private(set) var count = 0

    /// Too small to be counted: a connection sends one response after the other.
    var isSmall: Bool { count <= HubLimits.smallResponseBytesMax }

    /// Whether compressing may save anything.
    var isCompressible: Bool { count >= HubLimits.gzipBytesMin }

    init(_ bytes: [UInt8]) { append(bytes) }

    /// Returns the bytes in the coding `gzip`; `nil` if they are few, or if it saves nothing.
    func compressed() -> ResponseParts? {
        guard isCompressible else { return nil }
        var whole = ByteBuffer()
        whole.reserveCapacity(count)
        for part in parts { whole.writeImmutableBuffer(part) }
        guard let compressed = Gzip.compressed(Array(buffer: whole)), compressed.count < count else { return nil }
        return ResponseParts(compressed)
    }

    mutating func append(_ bytes: [UInt8]) {
        var rest = bytes[...]
        count += rest.count
        while !rest.isEmpty {
            if parts.last.map({ $0.readableBytes < HubLimits.responsePartBytes }) != true {
                parts.append(ByteBuffer())
                parts[parts.count - 1].reserveCapacity(min(rest.count, HubLimits.responsePartBytes))
            }
            let last = parts.count - 1
            let part = rest.prefix(HubLimits.responsePartBytes - parts[last].readableBytes)
            parts[last].writeBytes(part)
            rest = rest.dropFirst(part.count)
        }
    }
}
