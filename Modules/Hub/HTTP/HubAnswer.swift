internal import CausewayWire
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore

/// Answers in JSON, and the names of header fields that HTTPTypes does not know.
enum HubAnswer {
    static let protocolField: HTTPField.Name = {
        guard let name = HTTPField.Name(WireProtocol.header) else {
            preconditionFailure("The protocol's header is a header's name.")
        }
        return name
    }()

    static let historyField: HTTPField.Name = {
        guard let name = HTTPField.Name(WireProtocol.historyHeader) else {
            preconditionFailure("The history's header is a header's name.")
        }
        return name
    }()

    static func json(_ status: HTTPResponse.Status, _ bytes: [UInt8], headers: HTTPFields = [:]) -> Response {
        var headers = headers
        headers[.contentType] = "application/json"
        // Answers are one account's own, and marks and pages change at any time.
        headers[.cacheControl] = "no-store"
        headers[protocolField] = WireProtocol.version
        return Response(status: status, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
    }

    /// A page, which leaves in parts: what has not left counts as long as `lease` lives.
    static func page(_ bytes: [UInt8], holding lease: ByteLease) -> Response {
        var answer = json(.ok, [])
        answer.body = ResponseBody(contentLength: bytes.count) { writer in
            var rest = ByteBuffer(bytes: bytes)
            while let part = rest.readSlice(length: min(rest.readableBytes, HubLimits.pagePartBytes)),
                part.readableBytes > 0
            {
                try await writer.write(part)
            }
            try await writer.finish(nil)
            withExtendedLifetime(lease) {}
        }
        return answer
    }

    static func json(_ value: some Encodable, status: HTTPResponse.Status = .ok) throws -> Response {
        json(status, try HubCoding.encode(value))
    }
}
