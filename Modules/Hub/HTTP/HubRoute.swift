internal import CausewayWire
package import HTTPTypes

/// The hub's requests: the one table of its paths, from which requests are routed and refused.
package enum HubRoute: CaseIterable, Sendable {
    case health, contract, socketContract, session, channel, typing, messages, changes, message, record, records,
        events, socket, deliveries
    case uploadLimits, uploads, uploadState, upload, uploadCancellation, blobHead, blob

    package var method: HTTPRequest.Method {
        switch self {
        case .health, .contract, .socketContract, .session, .messages, .changes, .message, .record, .records, .events,
            .socket, .blob:
            .get
        case .channel, .typing: .put
        case .deliveries, .uploads: .post
        case .uploadLimits: .options
        case .uploadState, .blobHead: .head
        case .upload: .patch
        case .uploadCancellation: .delete
        }
    }

    /// The path, with parameters in braces.
    package var path: String {
        switch self {
        case .health: WireProtocol.healthPath
        case .contract: WireProtocol.contractPath
        case .socketContract: WireSocket.contractPath
        case .session: WireProtocol.sessionPath
        case .channel: WireProtocol.channelPath("{channel}")
        case .typing: WireProtocol.typingPath("{channel}")
        case .messages: WireProtocol.messagesPath("{channel}")
        case .changes: WireProtocol.changesPath("{channel}")
        case .message: WireProtocol.messagePath("{message}")
        case .record: WireProtocol.recordPath("{kind}", "{record}")
        case .records: WireProtocol.recordsPath("{kind}")
        case .events: WireProtocol.eventsPath
        case .socket: WireSocket.path
        case .deliveries: WireProtocol.deliveriesPath
        case .uploadLimits, .uploads: WireProtocol.uploadsPath
        case .uploadState, .upload, .uploadCancellation: WireProtocol.uploadPath("{upload}")
        case .blobHead, .blob: WireProtocol.blobPath("{blob}")
        }
    }

    /// Whether a request needs the token of an account.
    package var needsAccount: Bool {
        switch self {
        case .health, .contract, .socketContract: false
        case .session, .channel, .typing, .messages, .changes, .message, .record, .records, .events, .socket,
            .deliveries, .uploadLimits, .uploads, .uploadState, .upload, .uploadCancellation, .blobHead, .blob:
            true
        }
    }

    /// Whether a request may last; it is counted by itself then, and not among those in progress.
    var isLasting: Bool { self == .events || self == .socket }

    /// Whether requests travel on sockets: those whose bodies and responses are JSON.
    package var isOnSockets: Bool {
        switch self {
        case .health, .contract, .socketContract, .session, .channel, .typing, .messages, .changes, .message, .record,
            .records, .events, .deliveries:
            true
        case .socket, .uploadLimits, .uploads, .uploadState, .upload, .uploadCancellation, .blobHead, .blob: false
        }
    }

    /// Returns the response for a request that no route accepts: the path is unknown (404), or the method is wrong for
    /// it (405).
    static func refusal(method: HTTPRequest.Method, path: String) -> HubHTTPError {
        let segments = path.split(separator: "/")
        let routes = allCases.filter { route in
            let pattern = route.path.split(separator: "/")
            return pattern.count == segments.count && zip(pattern, segments).allSatisfy { $0.first == "{" || $0 == $1 }
        }
        guard !routes.isEmpty else { return .notFound("unknown path", code: "pathUnknown") }
        let methods = routes.map(\.method.rawValue).joined(separator: ", ")
        return HubHTTPError(
            .methodNotAllowed, code: "methodNotAllowed", detail: "only \(methods) is allowed here",
            headers: [.allow: methods])
    }
}
