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
        for index in start..<buffer.writerIndex {
            guard let byte = buffer.getInteger(at: index, as: UInt8.self), byte == 10 || byte == 13 else { continue }
            buffer.setInteger(UInt8(ascii: " "), at: index)
        }
        buffer.writeString("\n\n")
        return buffer
    }

    /// Whether the media types of a header field `Accept` include server-sent events.
    static func isAccepted(by fields: HTTPFields) -> Bool {
        fields[values: .accept].contains { value in
            value.split(separator: ",").contains { range in
                range.prefix { $0 != ";" }.filter { $0 != " " }.lowercased() == contentType
            }
        }
    }

    private static func field(_ name: String) -> HTTPField.Name {
        guard let name = HTTPField.Name(name) else { preconditionFailure("The name of a header field is valid.") }
        return name
    }
}
