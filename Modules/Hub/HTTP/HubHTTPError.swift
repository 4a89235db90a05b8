internal import CausewayHubStorage
internal import CausewayWire
internal import HTTPTypes
internal import Hummingbird

/// A response that is not 2xx: a status, a `WireError` body, and header fields for the client.
struct HubHTTPError: Error, Sendable {
    var status: HTTPResponse.Status
    var body: WireError
    var headers: HTTPFields = [:]

    init(_ status: HTTPResponse.Status, code: String, detail: String, headers: HTTPFields = [:]) {
        self.status = status
        body = WireError(code: code, detail: detail)
        self.headers = headers
    }

    static var tokenRefused: HubHTTPError {
        HubHTTPError(
            .unauthorized, code: "tokenRefused",
            detail: "the token is unknown or was replaced",
            headers: [.wwwAuthenticate: "Bearer"])
    }

    static func tooManyAttempts(seconds: Int64) -> HubHTTPError {
        HubHTTPError(
            .tooManyRequests, code: "tooManyAttempts",
            detail: "too many requests with a wrong token from this address; wait \(seconds) s",
            headers: [.retryAfter: String(seconds)])
    }

    static func tooManyNewChannels(seconds: Int64) -> HubHTTPError {
        HubHTTPError(
            .tooManyRequests, code: "tooManyNewChannels",
            detail: "too many new channels from this address; wait \(seconds) s",
            headers: [.retryAfter: String(seconds)])
    }

    static var busy: HubHTTPError {
        HubHTTPError(
            .serviceUnavailable, code: "busy", detail: "the hub is overloaded; nothing was applied",
            headers: [.retryAfter: String(HubLimits.busyRetrySeconds)])
    }

    static func tooManySignals(seconds: Int64) -> HubHTTPError {
        HubHTTPError(
            .tooManyRequests, code: "tooManySignals", detail: "too many typing signals; wait \(seconds) s",
            headers: [.retryAfter: String(seconds)])
    }

    static func bodyTooLarge(_ bytesMax: Int = HubLimits.requestBytesMax) -> HubHTTPError {
        HubHTTPError(
            .contentTooLarge, code: "bodyTooLarge", detail: "the body is larger than \(bytesMax) bytes")
    }

    /// A request that a socket does not carry: its body or its response is no JSON.
    static var needsConnection: HubHTTPError {
        HubHTTPError(
            .misdirectedRequest, code: "connectionNeeded",
            detail: "this request is not possible on a socket; send it over HTTP")
    }

    static func notFound(_ what: String, code: String = "notFound") -> HubHTTPError {
        HubHTTPError(.notFound, code: code, detail: what)
    }

    /// The response to an error of the storage; paths and causes go to the hub's log only.
    init(_ error: HubStorageError) {
        switch error {
        case .full:
            self.init(
                .serviceUnavailable, code: "storageFull", detail: "the hub's disk is full; nothing was applied",
                headers: [.retryAfter: String(HubLimits.fullRetrySeconds)])
        case .busy, .cancelled:
            self = .busy
        case .recovering:
            self.init(
                .serviceUnavailable, code: "storageFailed",
                detail: "the hub's storage failed and is being reopened; nothing was applied",
                headers: [.retryAfter: String(HubLimits.recoveryRetrySeconds)])
        case .outcomeUnknown:
            self.init(
                .internalServerError, code: "outcomeUnknown",
                detail: "the hub's storage failed during this request; it may have been applied; send it again")
        case .tooMany:
            self.init(.unprocessableContent, code: "tooMany", detail: error.description)
        default:
            self.init(
                .internalServerError, code: "storageFailed",
                detail: "the hub's storage failed; its log has the details")
        }
    }

    var response: Response {
        // Two strings always encode.
        let bytes = (try? HubCoding.encode(body)) ?? []
        return JSONResponse.json(status, bytes, headers: headers)
    }
}
