import CausewayHTTPServer
import HTTPTypes
import NIOCore

extension ConnectionRefusal {
    /// Responds in plain text to bytes that are not a request.
    static let statusPage = ConnectionRefusal { problem in
        let text =
            switch problem {
            case .headerTooLarge:
                "The header is larger than the \(StatusPageLimits.headerBytesMax) bytes that the page accepts.\n"
            case .notHTTP: "The request is not HTTP/1.1.\n"
            case .hostInvalid: "A request needs the header field Host exactly once.\n"
            }
        let body = ByteBuffer(string: text)
        var fields: HTTPFields = [
            .contentType: "text/plain; charset=utf-8", .contentLength: String(body.readableBytes),
        ]
        SecurityHeadersMiddleware.protect(&fields)
        return (HTTPResponse(status: problem.status, headerFields: fields), body)
    }
}
