import HTTPTypes
import NIOCore
import NIOHTTP1
import NIOHTTPTypesHTTP1

/// Assembles one response from the parts that the decoder yields, and enforces the limits and the framing rules of RFC
/// 9112 §6 that the decoder leaves open. Pure.
struct ResponseAssembler {
    private let limits: HTTPLimits
    /// Of a response after which the connection belongs to another protocol.
    static let upgradeStatus = 101

    private let hasNoBody: Bool
    private let isUpgrade: Bool
    private var head: HTTPResponseHead?
    private var interimResponses = 0
    /// Interim responses that are accepted.
    var interimResponsesMax: Int
    /// Whether the body goes elsewhere, and is neither collected nor limited.
    private(set) var isStreamed = false
    private var body = ByteBuffer()

    /// - Parameters:
    ///   - method: the method of the request; the response to HEAD has a length but no body.
    ///   - isUpgrade: whether the request asks for another protocol.
    init(method: HTTPMethod, limits: HTTPLimits, isUpgrade: Bool = false) {
        self.limits = limits
        self.interimResponsesMax = limits.interimResponsesMax
        self.hasNoBody = method == .HEAD
        self.isUpgrade = isUpgrade
    }

    /// Whether the head of the final response has arrived.
    var hasHead: Bool { head != nil }

    /// - Parameter streams: whether the body of this response goes elsewhere.
    mutating func receive(
        head: HTTPResponseHead, streams: (HTTPResponseHead) -> Bool = { _ in false }
    ) throws(HTTPClientError) {
        let code = Int(head.status.code)
        guard code != Self.upgradeStatus || isUpgrade else {
            throw .malformedResponse("unexpected status 101 (switching protocols)")
        }
        guard (100...999).contains(code) else { throw .malformedResponse("status \(code)") }
        if code < 200, code != Self.upgradeStatus {
            interimResponses += 1
            guard interimResponses <= interimResponsesMax else {
                throw .malformedResponse("more than \(interimResponsesMax) interim responses")
            }
            return
        }
        let length = try Self.framing(of: head)
        isStreamed = streams(head)
        if !isStreamed, let length, length > limits.bodyBytesMax, !hasNoBody, code != 204, code != 304 {
            throw .bodyTooLarge(bytesMax: limits.bodyBytesMax)
        }
        self.head = head
    }

    mutating func receive(body part: ByteBuffer) throws(HTTPClientError) {
        guard body.readableBytes + part.readableBytes <= limits.bodyBytesMax else {
            throw .bodyTooLarge(bytesMax: limits.bodyBytesMax)
        }
        if body.readableBytes == 0 {
            body = part
        } else {
            body.writeImmutableBuffer(part)
        }
    }

    /// - Returns: the response, and whether the server intends to keep the connection.
    func finish() throws(HTTPClientError) -> (response: HTTPClientResponse, keepAlive: Bool) {
        guard let head else { throw .malformedResponse("an end without a header") }
        let response = HTTPClientResponse(
            status: HTTPResponse.Status(code: Int(head.status.code), reasonPhrase: head.status.reasonPhrase),
            fields: HTTPFields(head.headers, splitCookie: false), body: body)
        return (response, head.isKeepAlive)
    }

    /// Rejects ambiguous framing, with which two readers could see different ends of the message: a length beside a
    /// transfer coding, two lengths, a coding other than `chunked`, a coding in HTTP/1.0.
    private static func framing(of head: HTTPResponseHead) throws(HTTPClientError) -> Int? {
        let lengths = head.headers["content-length"]
        let codings = head.headers["transfer-encoding"]
        if !codings.isEmpty {
            guard lengths.isEmpty else { throw .malformedResponse("both a content length and a transfer encoding") }
            guard codings.count == 1, codings[0].lowercased() == "chunked", head.version == .http1_1 else {
                throw .malformedResponse("a transfer encoding other than chunked")
            }
            return nil
        }
        guard let text = lengths.first else { return nil }
        guard lengths.count == 1, !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let length = Int(text)
        else { throw .malformedResponse("an invalid content length") }
        return length
    }
}
