internal import CausewayModels

/// `GET /v1/socket`: requests and responses over one WebSocket connection.
///
/// Each text message is a JSON object. A client's message is a request, or controls one that is under way:
///
/// ```
/// {"id":7,"method":"POST","path":"/v1/deliveries","headers":{…},"body":…}
/// {"id":9,"read":3}         3 parts of the stream 9 have been read so far
/// {"id":9,"cancel":true}    its response is not needed any more
/// ```
///
/// The hub's message is a response, or a part of a stream:
///
/// ```
/// {"id":7,"status":200,"headers":{…},"body":…}
/// {"id":9,"status":200,"headers":{…},"more":true,"body":…}
/// ```
///
/// - A request is any of the HTTP API's, with the same path, fields and body, and the same response. Its token is the
///   connection's. An id may be used again when its last response has been received.
/// - Responses come in any order. A delivery that was sent without waiting for the one before it says so
///   (`WireDelivery.pipelined`).
/// - A request for events that accepts `text/event-stream` opens a stream: parts with `more`, then a response without,
///   after which the client continues from the cursor of the last part. The hub sends at most ``partsUnreadMax`` parts
///   that the client has not reported as read.
package enum WireSocket {
    package static let path = "/v1/socket"
    /// `GET`, without a token: the description of the socket, an AsyncAPI 3.0 document.
    package static let contractPath = "/v1/asyncapi.json"
    package static let subprotocol = "causeway.v1"
    /// In the response that opens the connection: the number of requests that may be under way. The hub reads no
    /// further ones meanwhile. Requests for events do not count.
    package static let windowHeader = "Causeway-Window"
    /// Parts of a stream that may be on their way.
    package static let partsUnreadMax: Int64 = 2
    /// Requests for events that may be under way.
    package static let eventRequestsMax = 4
    /// The largest id.
    package static let idMax: Int64 = 9_007_199_254_740_991
    /// Bytes of a request's message without its body.
    package static let headBytesMax = 32 * 1024
    /// Bytes of a request's message.
    package static let requestBytesMax = WireProtocol.requestBytesMax + headBytesMax
    /// Bytes of a response's message.
    package static let responseBytesMax = WireProtocol.responseBytesMax + headBytesMax

    /// The reason why a message was rejected; the connection is closed with it.
    package enum Problem: Error, Sendable, Hashable {
        /// Not a JSON object with the members of a message.
        case malformed
        /// The members other than the body are too large.
        case headTooLarge
    }

    /// A request. Names of header fields are in lower case.
    package struct Request: Sendable, Hashable {
        package var id: Int64
        package var method: String
        /// With its query.
        package var path: String
        package var headers: [String: String]
        /// JSON text.
        package var body: [UInt8]?

        package init(
            id: Int64, method: String, path: String, headers: [String: String] = [:], body: [UInt8]? = nil
        ) {
            self.id = id
            self.method = method
            self.path = path
            self.headers = headers
            self.body = body
        }

        package var text: [UInt8] {
            var members: [String: JSONValue] = [
                "id": .integer(id), "method": .string(method), "path": .string(path),
            ]
            if !headers.isEmpty { members["headers"] = .object(headers.mapValues(JSONValue.string)) }
            return WireSocket.text(members, body: body)
        }
    }

    /// A client's message.
    package enum ClientMessage: Sendable, Hashable {
        case request(Request)
        /// The number of parts of a stream that have been read.
        case read(id: Int64, parts: Int64)
        case cancel(id: Int64)

        package var text: [UInt8] {
            switch self {
            case .request(let request): request.text
            case .read(let id, let parts): WireSocket.text(["id": .integer(id), "read": .integer(parts)])
            case .cancel(let id): WireSocket.text(["id": .integer(id), "cancel": .bool(true)])
            }
        }

        package init(_ text: [UInt8]) throws(Problem) {
            let members = try WireSocket.members(of: text)
            let id = try members.id()
            if let parts = try members.value("read") {
                guard case .integer(let parts) = parts, parts >= 0 else { throw .malformed }
                self = .read(id: id, parts: parts)
            } else if let cancel = try members.value("cancel") {
                guard cancel == .bool(true) else { throw .malformed }
                self = .cancel(id: id)
            } else {
                guard let method = try members.value("method")?.string, let path = try members.value("path")?.string
                else { throw .malformed }
                self = .request(
                    Request(
                        id: id, method: method, path: path, headers: try members.headers(),
                        body: members["body"].map(Array.init)))
            }
        }
    }

    /// The hub's message: a response, or a part of a stream. Names of header fields are in lower case.
    package struct Response: Sendable, Hashable {
        package var id: Int64
        package var status: Int
        package var headers: [String: String]
        /// Whether another message follows for the same request.
        package var hasMore: Bool
        /// JSON text.
        package var body: [UInt8]?

        package init(
            id: Int64, status: Int, headers: [String: String] = [:], hasMore: Bool = false, body: [UInt8]? = nil
        ) {
            self.id = id
            self.status = status
            self.headers = headers
            self.hasMore = hasMore
            self.body = body
        }

        /// The text up to the body's, which ``end`` follows.
        package var head: [UInt8] { WireSocket.head(members) }

        package static let end: [UInt8] = [UInt8(ascii: "}")]

        package var text: [UInt8] {
            WireSocket.text(members, body: body)
        }

        private var members: [String: JSONValue] {
            var members: [String: JSONValue] = ["id": .integer(id), "status": .integer(Int64(status))]
            if !headers.isEmpty { members["headers"] = .object(headers.mapValues(JSONValue.string)) }
            if hasMore { members["more"] = .bool(true) }
            return members
        }

        package init(_ text: [UInt8]) throws(Problem) {
            let members = try WireSocket.members(of: text)
            guard case .integer(let status)? = try members.value("status"), (200...999).contains(status) else {
                throw .malformed
            }
            var hasMore = false
            switch try members.value("more") {
            case nil, .bool(false)?: break
            case .bool(true)?: hasMore = true
            default: throw .malformed
            }
            self.init(
                id: try members.id(), status: Int(status), headers: try members.headers(), hasMore: hasMore,
                body: members["body"].map(Array.init))
        }
    }

    // MARK: - Text

    private static func head(_ members: [String: JSONValue]) -> [UInt8] {
        // Text and whole numbers always have a text.
        var text = JSONWriter.text(of: .object(members)) ?? []
        text.removeLast()
        text.append(contentsOf: #","body":"#.utf8)
        return text
    }

    private static func text(_ members: [String: JSONValue], body: [UInt8]? = nil) -> [UInt8] {
        guard let body else { return JSONWriter.text(of: .object(members)) ?? [] }
        return head(members) + body + Response.end
    }

    private static func members(of text: [UInt8]) throws(Problem) -> JSONObjectIndex {
        do {
            let members = try JSONObjectIndex(text, membersMax: 16)
            guard members.valueBytes(without: "body") <= headBytesMax else { throw Problem.headTooLarge }
            return members
        } catch let problem as Problem {
            throw problem
        } catch {
            throw .malformed
        }
    }
}

extension JSONObjectIndex {
    fileprivate func value(_ name: String) throws(WireSocket.Problem) -> JSONValue? {
        guard let text = self[name] else { return nil }
        do {
            return try JSONParser.parse(Array(text), depthMax: 4, valuesMax: 256)
        } catch {
            throw .malformed
        }
    }

    fileprivate func id() throws(WireSocket.Problem) -> Int64 {
        guard case .integer(let id)? = try value("id"), (0...WireSocket.idMax).contains(id) else { throw .malformed }
        return id
    }

    fileprivate func headers() throws(WireSocket.Problem) -> [String: String] {
        guard let value = try value("headers") else { return [:] }
        guard case .object(let members) = value else { throw .malformed }
        var headers: [String: String] = [:]
        for (name, value) in members {
            guard let text = value.string, headers.updateValue(text, forKey: name.lowercased()) == nil else {
                throw .malformed
            }
        }
        return headers
    }
}
