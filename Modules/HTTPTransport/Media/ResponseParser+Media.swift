import CausewayHTTP
import CausewayModels
import CausewayTransport
import CausewayWire
import HTTPTypes

/// Responses to requests for files; the table is at `HTTPMediaStore`.
extension ResponseParser {
    /// - Throws: if the response does not come from a Causeway server, or from one of another version.
    func checkProtocol(of response: HTTPClientResponse) throws(TransportError) {
        try requireProtocol(response, .media)
    }

    /// - Parameters:
    ///   - isHead: whether the response has no body, whatever its status.
    ///   - unknown: the error for the status 404.
    /// - Throws: the error that a response without success stands for.
    func requireSuccess(
        _ response: HTTPClientResponse, isHead: Bool = false, unknown: TransportError? = nil
    ) throws(TransportError) {
        try requireProtocol(response, .media)
        guard response.status.kind != .successful else { return }
        let status = response.status.code
        if status == 404, let unknown { throw unknown }
        let reason = isHead ? WireError(code: "", detail: "HTTP status \(status)") : try reason(response)
        guard status == 507 else { throw refusal(response, reason, .media) }
        guard let wait = retryAfter(response) else { throw .refused(code: reason.code, detail: reason.detail) }
        throw .rateLimited(after: wait, detail: reason.detail)
    }
}
