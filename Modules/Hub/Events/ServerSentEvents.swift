internal import HTTPTypes
internal import NIOCore

/// The form of server-sent events (`text/event-stream`).
enum ServerSentEvents {
    static let contentType = "text/event-stream"
    static let lastEventIDField = field("Last-Event-ID")
    /// Keeps a proxy from collecting the response.
    static let bufferingField = field("X-Accel-Buffering")

    /// A line that readers skip.
    static var comment: ByteBuffer { ByteBuffer(string: ":\n\n") }

    /// An event with JSON as its data.
    static func event(_ body: ResponseParts, id: String) -> ByteBuffer {
        var buffer = ByteBuffer()
        buffer.reserveCapacity(body.count + id.utf8.count + 16)
        buffer.writeString("id: \(id)\ndata: ")
        let start = buffer.writerIndex
        for part in body.parts { buffer.writeImmutableBuffer(part) }
        // A line break in JSON is a space, which it may contain; the data is one line.
        replaceAll(UInt8(ascii: "\n"), from: start, in: &buffer)
        replaceAll(UInt8(ascii: "\r"), from: start, in: &buffer)
        buffer.writeString("\n\n")
        return buffer
    }

    private static func replaceAll(_ byte: UInt8, from start: Int, in buffer: inout ByteBuffer) {
        var start = start
        // Searched in the memory itself, which is much faster than reading byte by byte.
        while let index = buffer.viewBytes(at: start, length: buffer.writerIndex - start)?.firstIndex(of: byte) {
            buffer.setInteger(UInt8(ascii: " "), at: index)
            start = index + 1
        }
    }

    /// Whether the media types of a header field `Accept` name server-sent events, and not with the weight 0.
    static func isAccepted(by fields: HTTPFields) -> Bool { WeightedList.names(contentType, .accept, of: fields) }

    private static func field(_ name: String) -> HTTPField.Name {
        guard let name = HTTPField.Name(name) else { preconditionFailure("The name of a header field is valid.") }
        return name
    }
}
