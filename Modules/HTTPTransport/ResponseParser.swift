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

/// Interprets responses; the table is at ``HTTPTransport``.
struct ResponseParser: Sendable {
    let sanitizer: ServerTextSanitizer
    /// The name of the server, for error messages.
    let server: String
    let wallClock: @Sendable () -> Timestamp

    /// The decoded value of a 2xx response.
    func read<Value: Decodable>(
        _ type: Value.Type, from response: HTTPClientResponse, to kind: RequestKind
    ) throws(TransportError) -> Value {
        try requireProtocol(response, kind)
        guard response.status.kind == .successful else { throw refusal(response, try reason(response), kind) }
        return try decoded(type, from: response)
    }

    /// The value that a request for one message or one record found; `nil` if the server reports that there is none.
    func found<Value: Decodable>(
        _ type: Value.Type, in response: HTTPClientResponse, _ kind: RequestKind
    ) throws(TransportError) -> Value? {
        try requireProtocol(response, kind)
        if response.status.kind == .successful { return try decoded(type, from: response) }
        let reason = try reason(response)
        if response.status.code == 404, Self.absences.contains(reason.code) { return nil }
        throw refusal(response, reason, kind)
    }

    private static let absences: Set = ["messageNotFound", "messageDeleted", "recordNotFound"]

    /// The server's history; `nil` if the response names none or an invalid one.
    func history(of response: HTTPClientResponse) -> ServerHistory? {
        let texts = Self.historyField.map { response.fields[values: $0] } ?? []
        return texts.count == 1 ? WireHistory(texts[0])?.serverHistory : nil
    }

    private static let historyField = HTTPField.Name(WireProtocol.historyHeader)

    /// The error for a response that does not follow the protocol.
    func foreign(_ what: String) -> TransportError {
        .inDoubt(detail: "\(server): the response is not from a Causeway server (captive portal or proxy?): \(what)")
    }

    // MARK: - Protocol check

    private static let protocolField = HTTPField.Name(WireProtocol.header)

    /// Whether a response comes from a Causeway server with this client's version of the protocol.
    ///
    /// - Parameter fields: of the response.
    func hasProtocol(_ fields: HTTPFields) -> Bool { Self.versions(in: fields) == [WireProtocol.version] }

    private static func versions(in fields: HTTPFields) -> [String] {
        protocolField.map { fields[values: $0] } ?? []
    }

    func requireProtocol(_ response: HTTPClientResponse, _ kind: RequestKind) throws(TransportError) {
        let versions = Self.versions(in: response.fields)
        guard let version = versions.first else {
            throw foreign("HTTP status \(response.status.code) without the header \(WireProtocol.header)")
        }
        guard versions == [WireProtocol.version] else {
            let detail =
                "the server speaks version \(sanitizer.code(version)) of the protocol, this client version "
                + "\(WireProtocol.version); update the older of the two"
            if kind == .delivery, response.status.kind == .successful {
                throw .inDoubt(detail: "\(server): \(detail)")
            }
            throw actionRequired(.protocolMismatch, detail)
        }
        guard response.status.kind != .redirection else {
            throw actionRequired(
                .protocolMismatch,
                "the server redirects elsewhere (\(response.status.code)), and redirects are not followed; "
                    + "use the address it redirects to")
        }
    }

    func reason(_ response: HTTPClientResponse) throws(TransportError) -> WireError {
        let reason = try decoded(WireError.self, from: response)
        return WireError(code: sanitizer.code(reason.code), detail: sanitizer.cleaned(reason.detail))
    }

    private func decoded<Value: Decodable>(
        _ type: Value.Type, from response: HTTPClientResponse
    ) throws(TransportError) -> Value {
        do {
            return try JSONCoding.decode(
                type, from: Array(response.body.readableBytesView), valuesMax: HTTPTransportLimits.responseValuesMax)
        } catch {
            // The error itself may quote the body.
            throw foreign("HTTP status \(response.status.code) with a body that does not follow the protocol")
        }
    }

    // MARK: - Status and body

    func refusal(
        _ response: HTTPClientResponse, _ reason: WireError, _ kind: RequestKind
    ) -> TransportError {
        let status = response.status.code
        switch status {
        case 401:
            return actionRequired(
                .tokenRefused, "the server refuses the token: \(Self.clause(reason)); log in again", reason)
        case 403:
            return actionRequired(
                .tokenRefused, "the server refuses this account: \(Self.clause(reason)); log in again", reason)
        case 404 where kind == .records || kind == .events || kind == .typing,
            404 where kind == .page && reason.code == "channelNotFound":
            return .refused(code: reason.code, detail: reason.detail)
        case 404, 405, 406, 410, 426:
            return actionRequired(
                .protocolMismatch,
                "the server does not support this request (\(status)): \(Self.clause(reason)); check the address",
                reason)
        case 409 where reason.code == "superseded":
            return actionRequired(.superseded, reason.detail, reason)
        case 409 where reason.code == "storeForked":
            return .storeForked(detail: reason.detail)
        case 409 where reason.code == "historyChanged":
            return .historyChanged(detail: reason.detail)
        case 429:
            let wait = retryAfter(response) ?? .seconds(HTTPTransportLimits.rateLimitSecondsDefault)
            return .rateLimited(after: wait, detail: reason.detail)
        case 503:
            if let wait = retryAfter(response) { return .rateLimited(after: wait, detail: reason.detail) }
            return .transient(code: reason.code, detail: reason.detail)
        case 500...599 where kind == .delivery && ![501, 503, 505].contains(status):
            // A commit that failed may have reached the disk, so the operations may have been applied.
            return .serverFailed(code: reason.code, detail: reason.detail)
        case 408, 425, 500...599:
            return .transient(code: reason.code, detail: reason.detail)
        case 400...499:
            return .refused(code: reason.code, detail: reason.detail)
        default:
            return actionRequired(.protocolMismatch, "the server responded with the invalid status \(status)")
        }
    }

    /// The server's text as a part of a sentence: a server may end it with a full stop.
    private static func clause(_ reason: WireError) -> String {
        reason.detail.hasSuffix(".") ? String(reason.detail.dropLast()) : reason.detail
    }

    func retryAfter(_ response: HTTPClientResponse) -> Duration? {
        guard let text = response.fields[values: .retryAfter].first else { return nil }
        return RetryAfter.wait(text, now: wallClock())
    }

    private func actionRequired(
        _ cause: ActionRequired.Cause, _ detail: String, _ reason: WireError? = nil
    ) -> TransportError {
        let code = reason.map { $0.code.isEmpty ? "" : " (\($0.code))" } ?? ""
        return .actionRequired(ActionRequired(cause: cause, detail: "\(server): \(detail)\(code)"))
    }
}
