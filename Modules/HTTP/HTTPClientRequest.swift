package import HTTPTypes
package import NIOCore
import NIOHTTP1
import NIOHTTPTypesHTTP1

/// One request. The body is given as a whole; see ``HTTPTransfer`` for one in parts.
package struct HTTPClientRequest: Sendable {
    /// Any method except CONNECT, which is reserved for the client.
    package var method: HTTPRequest.Method
    /// Begins with `/` and is already percent-encoded; may contain a query. It is appended to the endpoint's base path.
    package var path: String
    /// All fields except those that frame the message or control the connection (`Host`, `Content-Length`,
    /// `Transfer-Encoding`, `Connection` and similar ones), which the client sets itself.
    package var fields: HTTPFields
    package var body: ByteBuffer
    /// How much longer than usual the server may take before it responds, because the request asks it to wait.
    package var serverWait: Duration

    package init(
        method: HTTPRequest.Method, path: String, fields: HTTPFields = [:], body: ByteBuffer = ByteBuffer(),
        serverWait: Duration = .zero
    ) {
        self.method = method
        self.path = path
        self.fields = fields
        self.body = body
        self.serverWait = serverWait
    }
}

extension HTTPClientRequest: CustomStringConvertible {
    /// Method and path without the query; never a field or the body.
    package var description: String {
        "\(method.rawValue) \(path.prefix { $0 != "?" })"
    }
}

/// One complete response.
package struct HTTPClientResponse: Sendable {
    package var status: HTTPResponse.Status
    package var fields: HTTPFields
    /// As the server sent it: the client requests no content coding and decodes none.
    package var body: ByteBuffer

    package init(status: HTTPResponse.Status, fields: HTTPFields, body: ByteBuffer) {
        self.status = status
        self.fields = fields
        self.body = body
    }
}

extension HTTPClientRequest {
    /// The request head to be sent.
    ///
    /// - Throws: ``HTTPClientError/invalidRequest(_:)`` if it must not be sent.
    ///
    /// - Parameter bodyLength: of a body that is streamed; `nil` for ``body``.
    func head(
        for endpoint: HTTPEndpoint, absoluteForm: Bool, bodyLength: Int64? = nil
    ) throws(HTTPClientError) -> HTTPRequestHead {
        guard HTTPSyntax.isRequestPath(path) else {
            throw .invalidRequest("the path must begin with '/' and be percent-encoded")
        }
        guard method != .connect else { throw .invalidRequest("the method CONNECT is reserved for proxies") }
        if let field = fields.first(where: { HTTPSyntax.fieldsOfTheClient.contains($0.name) }) {
            throw .invalidRequest("the field \(field.name.canonicalName) is set by the client")
        }
        let length = bodyLength ?? Int64(body.readableBytes)
        let carriesBody = [.post, .put, .patch].contains(method) || length > 0
        guard !carriesBody || ![.get, .head, .trace].contains(method) else {
            throw .invalidRequest("\(method.rawValue) takes no body")
        }

        var headers = HTTPHeaders()
        headers.reserveCapacity(fields.count + 2)
        headers.add(name: "Host", value: endpoint.authority)
        if carriesBody {
            headers.add(name: "Content-Length", value: String(length))
        }
        for field in fields {
            headers.add(name: field.name.rawName, value: field.value)
        }
        let target = endpoint.basePath + path
        return HTTPRequestHead(
            version: .http1_1, method: HTTPMethod(method),
            uri: absoluteForm ? "http://\(endpoint.authority)\(target)" : target, headers: headers)
    }

    /// Whether a request may be sent again although the server may have seen it: only if it changes nothing.
    package var isSafeToRepeat: Bool {
        method == .get || method == .head
    }
}
