import CausewayHTTP
import CausewayModels
import CausewayTransport
import CausewayWire
import HTTPTypes
import NIOCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

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

    func message(_ id: MessageID) -> HTTPClientRequest { read(WireProtocol.messagePath(id.description)) }

    /// A channel's name contains nothing that must be percent-encoded in a path; see `Name`.
    func page(_ query: RemoteQuery) -> HTTPClientRequest {
        let path = WireProtocol.messagesPath(query.channel.value)
        switch query.range {
        case .newest: return read("\(path)?limit=\(query.limit)", query.history)
        case .after(let position): return read("\(path)?limit=\(query.limit)&after=\(position)", query.history)
        case .before(let position): return read("\(path)?limit=\(query.limit)&before=\(position)", query.history)
        }
    }

    /// A cursor contains nothing that must be percent-encoded either; see `WireChanges`.
    func changes(_ query: RemoteChangesQuery) -> HTTPClientRequest {
        let path = WireProtocol.changesPath(query.channel.value)
        return read(
            "\(path)?limit=\(query.limit)&since=\(query.cursor)&from=\(query.from)&through=\(query.through)"
                + "&open=\(query.isOpen ? 1 : 0)")
    }

    /// - Throws: `refused` if it cannot be encoded, or is larger than a server accepts.
    /// - Complexity: O(bytes of content).
    func delivery(_ delivery: Delivery) throws(TransportError) -> HTTPClientRequest {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .withoutEscapingSlashes
        let json: Data
        do {
            json = try encoder.encode(WireDelivery(delivery))
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
