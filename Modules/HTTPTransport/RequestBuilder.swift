import CausewayHTTP
import CausewayModels
import CausewayTransport
import CausewayWire
import HTTPTypes
import NIOCore

/// Builds requests to a server. Holds the token.
struct RequestBuilder: Sendable {
    private let readFields: HTTPFields
    private let deliveryFields: HTTPFields

    init(token: AccessToken, userAgent: String) {
        var fields: HTTPFields = [:]
        fields[.authorization] = "Bearer \(token.text)"
        fields[.userAgent] = userAgent
        fields[.accept] = "application/json"
        readFields = fields
        fields[.contentType] = "application/json"
        deliveryFields = fields
    }

    func session(knowing history: ServerHistory?, outbox: OutboxID?) -> HTTPClientRequest {
        read(WireProtocol.sessionPath + (outbox.map { "?outbox=\($0)" } ?? ""), history)
    }

    /// Opens a socket for further requests.
    func socket() -> HTTPClientRequest { read(WireSocket.path) }

    func message(_ id: MessageID, knowing history: ServerHistory? = nil) -> HTTPClientRequest {
        read(WireProtocol.messagePath(id.description), history)
    }

    /// A channel's name contains nothing that must be percent-encoded in a path; see `Name`.
    func page(_ query: RemoteQuery) -> HTTPClientRequest {
        var path = WireProtocol.messagesPath(query.channel.value) + "?limit=\(query.limit)"
        switch query.range {
        case .newest: break
        case .after(let position): path += "&after=\(position)"
        case .before(let position): path += "&before=\(position)"
        }
        if let type = query.filter.type { path += "&type=\(Self.encoded(type.name))" }
        switch query.filter.parent {
        case nil: break
        case .noParent: path += "&parent=\(WireProtocol.noParent)"
        case .parent(let id): path += "&parent=\(id)"
        }
        for tag in query.filter.includingTags.sorted() {
            path += "&\(WireProtocol.includingTag)=\(Self.encoded(tag))"
        }
        for tag in query.filter.excludingTags.sorted() {
            path += "&\(WireProtocol.excludingTag)=\(Self.encoded(tag))"
        }
        if query.includesDeleted { path += "&\(WireProtocol.includingDeleted)=1" }
        return read(path, query.history)
    }

    /// A cursor contains nothing that must be percent-encoded either; see `WireChanges`.
    func changes(_ query: RemoteChangesQuery) -> HTTPClientRequest {
        let path = WireProtocol.changesPath(query.channel.value)
        return read(
            "\(path)?limit=\(query.limit)&since=\(query.cursor)&from=\(query.from)&through=\(query.through)"
                + "&open=\(query.isOpen ? 1 : 0)", query.history)
    }

    func records(_ query: RemoteRecordsQuery) -> HTTPClientRequest {
        let after = query.after.map { "&after=\($0.text)" } ?? ""
        return read(
            WireProtocol.recordsPath(Self.encoded(query.list.kind.value))
                + "?list=\(Self.encoded(query.list.name))&scope=\(Self.encoded(query.list.scope))\(after)"
                + "&order=\(query.order == .ascending ? "ascending" : "descending")&limit=\(query.limit)",
            query.history)
    }

    func record(_ kind: RecordKind, _ id: String, knowing history: ServerHistory?) -> HTTPClientRequest {
        read(WireProtocol.recordPath(Self.encoded(kind.value), Self.encoded(id)), history)
    }

    func eventsEnd(knowing history: ServerHistory?) -> HTTPClientRequest { read(WireProtocol.eventsPath, history) }

    /// A cursor contains nothing that must be percent-encoded; see `WireChanges`.
    ///
    /// - Parameters:
    ///   - outbox: the client's own, whose changes need not end a wait.
    ///   - seen: the ephemeral events that the reader has seen.
    func events(
        from cursor: EventCursor, wait: Int, limit: Int, outbox: OutboxID?, seen: String,
        knowing history: ServerHistory?
    ) -> HTTPClientRequest {
        let own = outbox.map { "&outbox=\($0)" } ?? ""
        var request = read(
            "\(WireProtocol.eventsPath)?cursor=\(cursor.rawValue)&wait=\(wait)&limit=\(limit)&ephemeral=\(seen)\(own)",
            history)
        request.serverWait = .seconds(wait)
        return request
    }

    /// Percent-encodes every byte except those that RFC 3986 calls unreserved.
    private static func encoded(_ text: String) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"):
                bytes.append(byte)
            default: bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// - Throws: `refused` if it cannot be encoded, or is larger than a server accepts.
    /// - Complexity: O(bytes of content).
    func delivery(_ delivery: Delivery) throws(TransportError) -> HTTPClientRequest {
        let json: [UInt8]
        do {
            json = try JSONCoding.encode(WireDelivery(delivery))
        } catch {
            // The error itself may quote the message.
            throw .refused(code: "unsendable", detail: "a message contains a value that JSON cannot represent")
        }
        guard json.count <= WireProtocol.requestBytesMax else {
            throw .refused(
                code: "bodyTooLarge",
                detail: "the delivery has \(json.count) bytes; a server accepts at most \(WireProtocol.requestBytesMax)"
            )
        }
        return HTTPClientRequest(
            method: .post, path: WireProtocol.deliveriesPath,
            fields: Self.adding(delivery.history, to: deliveryFields), body: ByteBuffer(bytes: json))
    }

    /// - Throws: `refused` if the name of the device is invalid.
    func typing(_ signal: TypingSignal) throws(TransportError) -> HTTPClientRequest {
        guard WireTyping.isDevice(signal.device) else {
            throw .refused(code: "unsendable", detail: "a device's name must be short and printable")
        }
        let json: [UInt8]
        do {
            json = try JSONCoding.encode(
                WireTyping(device: signal.device, sequence: signal.sequence, isTyping: signal.isTyping))
        } catch {
            throw .refused(code: "unsendable", detail: "the typing signal cannot be encoded")
        }
        return HTTPClientRequest(
            method: .put, path: WireProtocol.typingPath(signal.channel.value), fields: deliveryFields,
            body: ByteBuffer(bytes: json))
    }

    private func read(_ path: String, _ history: ServerHistory? = nil) -> HTTPClientRequest {
        HTTPClientRequest(method: .get, path: path, fields: Self.adding(history, to: readFields))
    }

    private static let historyField = HTTPField.Name(WireProtocol.historyHeader)

    private static func adding(_ history: ServerHistory?, to fields: HTTPFields) -> HTTPFields {
        guard let history, let historyField else { return fields }
        var fields = fields
        fields[historyField] = history.claim
        return fields
    }
}
