internal import HTTPTypes

/// The hub's paths and the methods of each.
enum HubRoute: CaseIterable {
    case health, session, channels, channel, messages, message, deliveries

    /// The segments of the path; `nil` matches any.
    var pattern: [String?] {
        switch self {
        case .health: ["healthz"]
        case .session: ["v1", "session"]
        case .channels: ["v1", "channels"]
        case .channel: ["v1", "channels", nil]
        case .messages: ["v1", "channels", nil, "messages"]
        case .message: ["v1", "messages", nil]
        case .deliveries: ["v1", "deliveries"]
        }
    }

    var method: HTTPRequest.Method {
        switch self {
        case .health, .session, .channels, .messages, .message: .get
        case .channel: .put
        case .deliveries: .post
        }
    }

    /// Returns the response for a request that no route accepts: the path is unknown (404), or the method is wrong for
    /// it (405).
    static func refusal(method: HTTPRequest.Method, path: String) -> HubHTTPError {
        let segments = path.split(separator: "/")
        let route = allCases.first { route in
            route.pattern.count == segments.count
                && zip(route.pattern, segments).allSatisfy { $0 == nil || $0.map { $0[...] } == $1 }
        }
        guard let route else { return .notFound("unknown path", code: "pathUnknown") }
        return HubHTTPError(
            .methodNotAllowed, code: "methodNotAllowed", detail: "only \(route.method.rawValue) is allowed here",
            headers: [.allow: route.method.rawValue])
    }
}
